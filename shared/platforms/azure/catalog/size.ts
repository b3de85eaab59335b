/** A size of virtual machine, as much of it as a choice needs; hundreds of them are kept in state. */
import { defined } from '../../../base/defined.ts';

export type Size = {
  name: string;
  /** The quota that its cores count against, as usages name it, in lower case. */
  family: string;
  /** Cores that the machine shows. */
  cpu: number;
  /** Cores that count against the quota: more, where a size switches some of them off. */
  quotaCores: number;
  memoryMiB: number;
  gpus: number;
  gpuName?: string;
  arch: 'amd64' | 'arm64';
  /** Numbers of the zones of this location that have it. */
  zones: string[];
  spot: boolean;
  /** Why this subscription can't have it here at all. */
  restricted?: string;
  restrictedZones?: string[];
  /** Of the disk, where the size itself brings one. */
  diskGiB?: number;
  premiumStorage?: boolean;
  acceleratedNetworking?: boolean;
  /** How large a system disk may be that lives on the machine itself; none: it can't. */
  ephemeralDiskGiB?: number;
};

/** `nvidia` unless the size is one of the few with other accelerators. */
export const gpuMaker = (size: Pick<Size, 'name'>): 'nvidia' | 'amd' =>
  /_MI\d+|^Standard_NV\d+as_v4$|^Standard_NG/i.test(size.name) ? 'amd' : 'nvidia';

/** What the name tells: `Standard_NC24ads_A100_v4` is of family N, series NCads_v4, version 4, with an A100. */
export function nameParts(name: string): { family?: string; series?: string; version?: string; gpu?: string } {
  const match = /^(?:Standard|Basic)_([A-Z]+)[0-9]+(?:-[0-9]+)?([a-z]*)((?:_[A-Za-z0-9]+)*?)(?:_v([0-9]+))?$/.exec(
    name,
  );
  if (match === null) return {};
  const [, letters = '', features = '', middle = '', version] = match;
  const gpu = /_(?:x?)([A-Z]+[0-9]+[A-Za-z]*)/.exec(middle)?.[1];
  const series = `${letters}${features}${version === undefined ? '' : `_v${version}`}`;
  return { family: letters.slice(0, 1), series, version: version ?? '1', ...defined({ gpu }) };
}
