/** A network at each kind of hypervisor. */
import { z } from 'zod';
import { text } from '../../kube/crds/schema-parts.ts';
import { bigCount, choice, count, flag, list, map, upTo } from './parts.ts';

const vlanId = (description: string) => count(description, 1, 4094);

const vsphere = z
  .object({
    portgroup: upTo(255, 'Port group.'),
    adapterType: choice(['vmxnet3', 'e1000', 'e1000e'], 'Model of the adapter.').default('vmxnet3'),
    pciSlotNumber: count('PCI slot of the adapter.', 32, 1024),
    distributedSwitch: z
      .object({
        name: upTo(255, 'Name of the switch.'),
        uuid: text('UUID of the switch.').optional(),
        portgroupType: choice(['ephemeral', 'distributed'], 'Type of its port groups.').optional(),
      })
      .describe('Distributed switch.'),
    vlan: z
      .object({
        type: choice(['none', 'vlan', 'pvlan', 'trunk'], 'Type of VLAN.').default('none'),
        vlanID: vlanId('VLAN.'),
        primaryVlanID: vlanId('Primary VLAN of a private VLAN.'),
        secondaryVlanID: vlanId('Secondary VLAN of a private VLAN.'),
        trunkVlanIDs: list(count('VLAN.'), 'VLANs of a trunk.', 100),
      })
      .partial()
      .describe('VLAN of the port group.'),
    security: z
      .object({
        allowPromiscuous: flag('Whether an adapter may see traffic of others.').default(false),
        allowMACChanges: flag('Whether the guest may change its MAC address.').default(true),
        allowForgedTransmits: flag('Whether the guest may send from other MAC addresses.').default(true),
      })
      .partial()
      .describe('What the guest may do on the network.'),
    trafficShaping: z
      .object({
        enabled: flag('Whether traffic is limited.').default(false),
        averageBandwidth: bigCount('Average in bits per second.', 1000),
        peakBandwidth: bigCount('Peak in bits per second.', 1000),
        burstSize: bigCount('Burst in bytes.', 1024),
      })
      .partial()
      .describe('Limits of the traffic.'),
  })
  .partial()
  .describe('The network on vSphere.');

const libvirt = z
  .object({
    networkName: upTo(255, 'Name of a network of libvirt.'),
    bridge: z
      .object({
        name: upTo(15, 'Name of the bridge.'),
        stp: flag('Whether the spanning tree protocol is on.').default(false),
        delay: count('Delay of forwarding in seconds.', 0, 30).optional(),
      })
      .describe('A bridge of the host.'),
    model: choice(['virtio', 'e1000', 'e1000e', 'rtl8139', 'pcnet', 'ne2k_pci'], 'Model of the adapter.').default(
      'virtio',
    ),
    driver: z
      .object({
        name: choice(['kvm', 'vfio', 'uio'], 'Name of the driver.'),
        queues: count('Number of queues.', 1, 16),
        txMode: choice(['iothread', 'timer'], 'How packets are sent.'),
        ioEventFD: flag('Whether a thread of its own handles requests.'),
        eventIDX: flag('Whether there are fewer interrupts.'),
      })
      .partial()
      .describe('Driver of the adapter.'),
    filterRef: z
      .object({ filter: upTo(255, 'Name of the filter.'), parameters: map('Parameters of the filter.', 20).optional() })
      .describe('Filter for the traffic.'),
  })
  .partial()
  .describe('The network on libvirt.');

const proxmox = z
  .object({
    bridge: text('Bridge of the node, such as vmbr0.', { pattern: '^vmbr[0-9]+$' }),
    model: choice(['virtio', 'e1000', 'rtl8139', 'vmxnet3'], 'Model of the adapter.').default('virtio'),
    vlanTag: vlanId('VLAN.'),
    firewall: flag('Whether the firewall of Proxmox VE is on.').default(false),
    rateLimit: count('Limit in MB per second.', 1),
    mtu: count('Largest packet in bytes.', 68, 65_520),
  })
  .partial()
  .describe('The network on Proxmox VE.');

export const hypervisorNetworks = { vsphere, libvirt, proxmox };
