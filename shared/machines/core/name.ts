/** How a machine is called at its hypervisor. The name is what its object is found by, so it never changes and nothing else has it. */
import { nodeCrypto } from '../../base/node-modules.ts';
import type { MachineProblem } from './problems.ts';

interface Named {
  namespace: string;
  name: string;
  uid: string;
}

/** With a part of the uid: a namesake that comes later never meets the machine of its predecessor. */
export const machineName = ({ namespace, name, uid }: Named): string =>
  `${namespace}-${name}-${nodeCrypto().createHash('sha256').update(uid).digest('hex').slice(0, 8)}`;

interface NameRule {
  most: number;
  legal: RegExp;
  says: string;
}

const label: NameRule = {
  most: 63,
  legal: /^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$/,
  says: 'letters, digits, dashes and dots',
};
const rules: Readonly<Record<string, NameRule>> = {
  vsphere: { ...label, most: 80 },
  libvirt: { ...label, most: 200 },
  qemu: { ...label, most: 200 },
  firecracker: { most: 64, legal: /^[A-Za-z0-9-]+$/, says: 'letters, digits and dashes' },
};

/** What the hypervisor would refuse about a name. Others than these take what a DNS label allows. */
export function nameProblem(type: string, name: string, path: string): MachineProblem | undefined {
  const { most, legal, says } = rules[type] ?? label;
  if (name.length > most) {
    const message = `its name at the hypervisor would be ${name}, which has ${name.length} characters; ${type} takes ${most}: use a shorter name or namespace`;
    return { code: 'MachineNameInvalid', path, message };
  }
  if (legal.test(name)) return undefined;
  const message = `its name at the hypervisor would be ${name}; ${type} takes ${says} only: rename the object`;
  return { code: 'MachineNameInvalid', path, message };
}
