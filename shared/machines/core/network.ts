/** Networks of a machine, from its spec and the attachments that it names. */
import { defined } from '../../base/defined.ts';
import type { MachineNetwork } from '../../drivers/machine-spec.ts';
import type { VirtualMachine, VMNetworkAttachment } from './objects.ts';
import type { MachineProblem } from './problems.ts';

type Asked = NonNullable<VirtualMachine['spec']['networks']>[number];

export function networkProblems(networks: readonly Asked[]): MachineProblem[] {
  const problems: MachineProblem[] = [];
  const seen = new Map<string, number>();
  for (const [index, { name, ipAddress, prefix }] of networks.entries()) {
    const path = `spec.networks[${index}]`;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else {
      const message = `spec.networks[${first}] has the name ${name} too; give each its own name`;
      problems.push({ code: 'MachineNetworkInvalid', path: `${path}.name`, message });
    }
    if (prefix !== undefined && !ipAddress) {
      const message = 'needs ipAddress; add it, or remove prefix to get an address by DHCP';
      problems.push({ code: 'MachineNetworkInvalid', path: `${path}.prefix`, message });
    }
  }
  return problems;
}

/** @param attachment Of its `networkRef`; a network without one is known to the hypervisor by its name. */
export function resolveNetwork(asked: Asked, attachment: VMNetworkAttachment | undefined): MachineNetwork {
  const { vsphere, libvirt, proxmox } = attachment?.spec.network ?? {};
  const { type, staticConfig, dnsConfig } = attachment?.spec.ipAllocation ?? {};
  const [address, bits] = (staticConfig?.address ?? '').split('/');
  const own = asked.ipAddress || undefined;
  const dns = asked.dns?.split(',').map((one) => one.trim()) ?? dnsConfig?.servers;
  return {
    name: asked.name,
    ...defined({
      portgroup: vsphere?.portgroup,
      networkName: libvirt?.networkName,
      bridge: libvirt?.bridge?.name ?? proxmox?.bridge,
      vlan: vsphere?.vlan?.vlanID ?? proxmox?.vlanTag,
      model: vsphere?.adapterType ?? libvirt?.model ?? proxmox?.model,
      mac: asked.macAddress,
      ipPolicy: own === undefined ? type?.toLowerCase() : 'static',
      address: own ?? (address || undefined),
      prefix: asked.prefix ?? (bits === undefined ? undefined : Number(bits)),
      gateway: asked.gateway ?? staticConfig?.gateway,
      dns,
      pciSlot: vsphere?.pciSlotNumber,
    }),
  };
}
