"""Drives a CloudStack with the client cs: by POST and by GET, in pages, waiting for jobs. Prints what it saw as one line of JSON."""

import base64
import json
import os

from cs import CloudStack, CloudStackApiException


def connect(method, secret=None):
    return CloudStack(
        endpoint=os.environ["CLOUDSTACK_API_URL"],
        key=os.environ["CLOUDSTACK_API_KEY"],
        secret=secret or os.environ["CLOUDSTACK_SECRET_KEY"],
        method=method,
        poll_interval=0.05,
        job_timeout=30,
    )


def refused(call):
    try:
        call()
    except CloudStackApiException as error:
        return error.error
    return None


def drive():
    cs = connect("post")
    seen = {"version": cs.listCapabilities()["capability"]["cloudstackversion"]}
    zone = next(one for one in cs.listZones(fetch_list=True) if one["name"] == "zone-01")
    offering = cs.listServiceOfferings(name="Small Instance")["serviceoffering"][0]
    template = cs.listTemplates(
        templatefilter="executable", zoneid=zone["id"], tags=[{"key": "version", "value": "22.04"}]
    )["template"][0]
    network = cs.listNetworks(zoneid=zone["id"], name="default-network")["network"][0]

    def deploy(name, **more):
        return cs.deployVirtualMachine(
            name=name,
            zoneid=zone["id"],
            serviceofferingid=offering["id"],
            templateid=template["id"],
            networkids=[network["id"]],
            **more,
        )

    user_data = base64.b64encode("#!/bin/sh\necho ünï !*'()\n".encode()).decode()
    vm = deploy("cs-node", displayname="cs !*'() ünï", userdata=user_data, fetch_result=True)["virtualmachine"]
    seen["state"] = vm["state"]
    seen["display"] = vm["displayname"]
    tags = [{"key": "a b", "value": "ü/=&+"}, {"key": "owner", "value": "cs"}]
    tagged = cs.createTags(resourceids=vm["id"], resourcetype="UserVm", tags=tags, fetch_result=True)
    seen["tagged"] = tagged["success"]
    twice = refused(lambda: cs.createTags(resourceids=vm["id"], resourcetype="UserVm", tags=tags, fetch_result=True))
    seen["twice"] = twice["errorcode"]
    for index in range(6):
        deploy(f"more-{index}")
    pages = cs.listVirtualMachines(fetch_list=True, pagesize=2)
    seen["pages"] = len({one["id"] for one in pages})
    found = cs.listVirtualMachines(tags=[{"key": "a b", "value": "ü/=&+"}])
    seen["found"] = [one["name"] for one in found["virtualmachine"]]
    seen["empty"] = cs.listVirtualMachines(name="nothing")

    by_get = connect("get")
    seen["byGet"] = by_get.listVirtualMachines(name="cs-node")["count"]
    seen["wrongSecret"] = refused(lambda: connect("post", "not the secret").listZones())
    seen["pageTooLarge"] = refused(lambda: cs.listVirtualMachines(page=1, pagesize=501))["errorcode"]
    # Java encodes a tilde and Python does not: the server signs another text.
    seen["tilde"] = refused(lambda: cs.listZones(name="~"))["errorcode"]
    seen["noPage"] = refused(lambda: cs.listVirtualMachines(pagesize=5))["errorcode"]
    seen["notAllowed"] = refused(lambda: cs.listHosts())["errorcode"]
    custom = "00000000-0000-4000-8000-000000000001"
    seen["customId"] = refused(lambda: deploy("custom", customid=custom))["errorcode"]
    spot = cs.listServiceOfferings(name="Medium Spot Instance")["serviceoffering"][0]
    poor = refused(
        lambda: cs.deployVirtualMachine(
            zoneid=zone["id"], serviceofferingid=spot["id"], templateid=template["id"], fetch_result=True
        )
    )
    seen["noCapacity"] = poor["errorcode"]
    cs.destroyVirtualMachine(id=vm["id"], expunge=True, fetch_result=True)
    seen["gone"] = cs.listVirtualMachines(id=vm["id"])
    return seen


print(json.dumps(drive()))
