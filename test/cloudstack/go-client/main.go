// Command cloudstack drives a CloudStack with Apache's own client: it looks around, deploys a VM, waits for it, tags it, finds it
// again, destroys it, and does what has to be refused. It prints what it saw as one line of JSON.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"github.com/apache/cloudstack-go/v2/cloudstack"
)

func main() {
	seen, err := drive()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		os.Exit(1)
	}
}

func drive() (map[string]any, error) {
	seen := map[string]any{}
	cs := cloudstack.NewAsyncClient(
		os.Getenv("CLOUDSTACK_API_URL"), os.Getenv("CLOUDSTACK_API_KEY"), os.Getenv("CLOUDSTACK_SECRET_KEY"), true)

	zone, count, err := cs.Zone.GetZoneByName("zone-02")
	if err != nil {
		return nil, fmt.Errorf("zone: %w", err)
	}
	seen["zone"], seen["zones"] = zone.Networktype, count
	offering, _, err := cs.ServiceOffering.GetServiceOfferingByName("Medium Instance")
	if err != nil {
		return nil, fmt.Errorf("offering: %w", err)
	}
	seen["memory"] = offering.Memory
	seen["computeType"] = offering.Serviceofferingdetails["compute-type"]
	// A template has a line for each zone that it is in.
	images := cs.Template.NewListTemplatesParams("executable")
	images.SetZoneid(zone.Id)
	images.SetName("ubuntu-22.04-kubernetes")
	templates, err := cs.Template.ListTemplates(images)
	if err != nil || templates.Count != 1 {
		return nil, fmt.Errorf("templates: %v, %w", templates, err)
	}
	template := templates.Templates[0]
	seen["templateReady"] = template.Isready
	network, _, err := cs.Network.GetNetworkByName("default-network-2")
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}

	order := cs.VirtualMachine.NewDeployVirtualMachineParams(offering.Id, template.Id, zone.Id)
	order.SetName("go-node")
	order.SetDisplayname("Nœud (go) *'1'")
	order.SetNetworkids([]string{network.Id})
	order.SetUserdata(base64.StdEncoding.EncodeToString([]byte("#!/bin/sh\necho ñ\n")))
	deployed, err := cs.VirtualMachine.DeployVirtualMachine(order)
	if err != nil {
		return nil, fmt.Errorf("deploy: %w", err)
	}
	seen["state"], seen["display"], seen["addresses"] = deployed.State, deployed.Displayname, len(deployed.Nic)

	tags := map[string]string{"owner": "go", "a b": "ü/=&"}
	if _, err := cs.Resourcetags.CreateTags(
		cs.Resourcetags.NewCreateTagsParams([]string{deployed.Id}, "UserVm", tags)); err != nil {
		return nil, fmt.Errorf("tags: %w", err)
	}
	list := cs.VirtualMachine.NewListVirtualMachinesParams()
	list.SetTags(map[string]string{"a b": "ü/=&"})
	list.SetPage(1)
	list.SetPagesize(100)
	found, err := cs.VirtualMachine.ListVirtualMachines(list)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	seen["found"] = found.Count
	seen["tags"] = len(found.VirtualMachines[0].Tags)

	taken := cs.VirtualMachine.NewDeployVirtualMachineParams(offering.Id, template.Id, zone.Id)
	taken.SetName("go-node")
	taken.SetNetworkids([]string{network.Id})
	_, err = cs.VirtualMachine.DeployVirtualMachine(taken)
	seen["nameTaken"] = text(err)
	poor, _, err := cs.ServiceOffering.GetServiceOfferingByName("Medium Spot Instance")
	if err != nil {
		return nil, fmt.Errorf("spot offering: %w", err)
	}
	_, err = cs.VirtualMachine.DeployVirtualMachine(
		cs.VirtualMachine.NewDeployVirtualMachineParams(poor.Id, template.Id, zone.Id))
	seen["noCapacity"] = text(err)
	list.SetPagesize(501)
	_, err = cs.VirtualMachine.ListVirtualMachines(list)
	seen["pageTooLarge"] = text(err)
	_, count, err = cs.VirtualMachine.GetVirtualMachineByID("00000000-0000-4000-8000-000000000000")
	seen["unknown"], seen["unknownCount"] = text(err), count

	destroy := cs.VirtualMachine.NewDestroyVirtualMachineParams(deployed.Id)
	destroy.SetExpunge(true)
	if _, err := cs.VirtualMachine.DestroyVirtualMachine(destroy); err != nil {
		return nil, fmt.Errorf("destroy: %w", err)
	}
	gone, err := cs.VirtualMachine.ListVirtualMachines(cs.VirtualMachine.NewListVirtualMachinesParams())
	if err != nil {
		return nil, fmt.Errorf("list after destroy: %w", err)
	}
	left := 0
	for _, vm := range gone.VirtualMachines {
		if vm.State != "Error" {
			left++
		}
	}
	seen["left"] = left

	// Java encodes a tilde and Go does not: the server signs another text.
	named := cs.Zone.NewListZonesParams()
	named.SetName("~")
	_, err = cs.Zone.ListZones(named)
	seen["tilde"] = text(err)
	wrong := cloudstack.NewClient(os.Getenv("CLOUDSTACK_API_URL"), os.Getenv("CLOUDSTACK_API_KEY"), "not the secret", true)
	_, err = wrong.Zone.ListZones(wrong.Zone.NewListZonesParams())
	seen["wrongSecret"] = text(err)
	return seen, nil
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
