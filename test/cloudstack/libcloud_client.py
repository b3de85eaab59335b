"""Drives a CloudStack with the driver of Apache Libcloud. Prints what it saw as one line of JSON."""

import json
import os
from urllib.parse import urlparse

from libcloud.common.types import ProviderError
from libcloud.compute.providers import get_driver
from libcloud.compute.types import InvalidCredsError, Provider


def connect(secret=None):
    url = urlparse(os.environ["CLOUDSTACK_API_URL"])
    driver = get_driver(Provider.CLOUDSTACK)(
        os.environ["CLOUDSTACK_API_KEY"],
        secret or os.environ["CLOUDSTACK_SECRET_KEY"],
        secure=False,
        host=url.hostname,
        port=url.port,
        path=url.path,
    )
    driver.connection.poll_interval = 0.05
    return driver


def refused(call):
    try:
        call()
    except (ProviderError, InvalidCredsError) as error:
        return str(error)
    except Exception as error:  # a failed job has no class of its own
        return str(error)
    return None


def drive():
    driver = connect()
    zone = next(one for one in driver.list_locations() if one.name == "zone-01")
    size = next(one for one in driver.list_sizes() if one.name == "Medium Instance")
    spot = next(one for one in driver.list_sizes() if one.name == "Medium Spot Instance")
    image = next(one for one in driver.list_images(zone) if one.name == "ubuntu-22.04-kubernetes")
    network = next(one for one in driver.ex_list_networks() if one.name == "default-network")
    seen = {"ram": size.ram, "image": image.extra["os"]}

    def create(name, offering=size, **more):
        return driver.create_node(
            name=name, size=offering, image=image, location=zone, networks=[network], ex_start_vm=True, **more
        )

    group = driver.ex_create_affinity_group("apart", driver_group_type("host anti-affinity"))
    node = create("libcloud-node", ex_userdata="#!/bin/sh\necho ok\n", ex_affinity_groups=[group])
    seen["state"] = str(node.state)
    seen["addresses"] = len(node.private_ips)
    seen["tagged"] = driver.ex_create_tags([node.id], "UserVm", {"owner": "libcloud", "two": "2"})
    seen["tags"] = driver.ex_get_node(node.id).extra["tags"]
    seen["groups"] = [one.name for one in driver.ex_list_affinity_groups()]
    seen["volumes"] = [one.extra["volume_type"] for one in driver.list_volumes(node)]
    seen["limits"] = driver.ex_limits()["max_volumes"]
    seen["stopped"] = driver.ex_stop(node)
    seen["started"] = driver.ex_start(node)
    seen["rebooted"] = driver.reboot_node(node)
    seen["nameTaken"] = refused(lambda: create("libcloud-node"))
    seen["noCapacity"] = refused(lambda: create("poor", spot))
    seen["wrongSecret"] = refused(lambda: connect("not the secret").list_locations())
    seen["keys"] = [one.name for one in driver.list_key_pairs()]
    seen["projects"] = [one.name for one in driver.ex_list_projects()]
    seen["destroyed"] = driver.destroy_node(node, ex_expunge=True)
    seen["left"] = [one.name for one in driver.list_nodes() if one.name == "libcloud-node"]
    seen["ungrouped"] = driver.ex_delete_affinity_group(group)
    return seen


def driver_group_type(name):
    from libcloud.compute.drivers.cloudstack import CloudStackAffinityGroupType

    return CloudStackAffinityGroupType(name)


print(json.dumps(drive()))
