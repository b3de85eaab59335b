import { defined } from '../../base/defined.ts';
import type { ListedMachine, MachineState } from '../contract.ts';
import type { DescribeResponse, VMInfo } from '../protocol/messages.ts';
import { parseJson } from './parse-json.ts';

/**
 * The protocol has no tags in its answers. Our server adds them to what a provider may tell freely, as a list in JSON; other servers keep no
 * tags at all.
 */
const tagsKey = 'poolwright.dev/tags';

export const writeListed = (machine: ListedMachine): VMInfo => ({
  id: machine.id,
  name: machine.name,
  powerState: machine.power,
  ips: [...machine.addresses],
  cpu: machine.cpu ?? 0,
  memoryMib: machine.memoryMiB ?? 0,
  disks: machine.disks.map(({ id, path = '', sizeGiB = 0, format = '' }) => ({ id, path, sizeGib: sizeGiB, format })),
  networks: machine.networks.map(({ name, mac = '', address = '' }) => ({ name, mac, ipAddress: address })),
  providerRaw: machine.tags.length === 0 ? {} : { [tagsKey]: JSON.stringify(machine.tags) },
});

export const readListed = (said: VMInfo): ListedMachine => ({
  id: said.id,
  name: said.name,
  power: said.powerState,
  addresses: said.ips,
  disks: said.disks.map(({ id, path, sizeGib, format }) => ({
    id,
    ...defined({ path: unlessEmpty(path), sizeGiB: unlessZero(sizeGib), format: unlessEmpty(format) }),
  })),
  networks: said.networks.map(({ name, mac, ipAddress }) => ({
    name,
    ...defined({ mac: unlessEmpty(mac), address: unlessEmpty(ipAddress) }),
  })),
  tags: tagsIn(said.providerRaw[tagsKey]),
  ...defined({ cpu: unlessZero(said.cpu), memoryMiB: unlessZero(said.memoryMib) }),
});

export const writeDescribed = (state: MachineState | undefined): Partial<DescribeResponse> =>
  state === undefined
    ? { exists: false }
    : {
        exists: true,
        powerState: state.power,
        ips: [...state.addresses],
        consoleUrl: state.consoleUrl ?? '',
        providerRawJson: state.raw ?? '',
      };

export const readDescribed = (said: DescribeResponse): MachineState | undefined =>
  said.exists
    ? {
        power: said.powerState,
        addresses: said.ips,
        ...defined({ consoleUrl: unlessEmpty(said.consoleUrl), raw: unlessEmpty(said.providerRawJson) }),
      }
    : undefined;

function tagsIn(text: string | undefined): readonly string[] {
  const tags = parseJson(text ?? '', '', []);
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

export const unlessEmpty = (text: string): string | undefined => (text === '' ? undefined : text);
export const unlessZero = (number: number): number | undefined => (number === 0 ? undefined : number);
