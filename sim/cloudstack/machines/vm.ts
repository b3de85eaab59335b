/** A VM: what is kept of it, and how its state follows from the moments at which it changed. */
import { tags as tagKeys } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { InstanceRecord, LedgerEntry } from '../../cloud/instance.ts';
import { toLedger as recordToLedger } from '../../cloud/instance.ts';
import type { Account, Host, Network, Offering, Owner, SecurityGroup, Tags, Template, Zone } from '../site/types.ts';

export type VmState =
  | 'Starting'
  | 'Running'
  | 'Stopping'
  | 'Stopped'
  | 'Destroyed'
  | 'Expunging'
  | 'Migrating'
  | 'Error'
  | 'Unknown';

export interface Nic {
  id: string;
  network: Network;
  ip: string | undefined;
  mac: string;
  isDefault: boolean;
}

export interface Lease {
  /** Days. */
  duration: number;
  action: 'STOP' | 'DESTROY';
  expiresAt: number;
}

export interface Vm {
  readonly id: string;
  /** The kubelet's view of it; its id is the name of the Node. */
  readonly record: InstanceRecord;
  name: string;
  displayName: string;
  instanceName: string;
  /** The id of its instance group. */
  group: string | undefined;
  readonly owner: Owner;
  readonly user: Account;
  readonly zone: Zone;
  readonly template: Template;
  offering: Offering;
  cpus: number;
  cpuSpeed: number;
  /** MiB. */
  memory: number;
  rootDiskSize: number;
  details: Record<string, string>;
  nics: readonly Nic[];
  affinityGroups: readonly string[];
  keyPairs: readonly string[];
  securityGroups: readonly SecurityGroup[];
  bootType: string;
  bootMode: string;
  tags: Tags;
  /** As it was sent: base64. */
  userData: string;
  lease: Lease | undefined;
  deleteProtection: boolean;
  /** Where it runs, and holds room. */
  host: Host | undefined;
  /** Of the last start. */
  lastHost: Host | undefined;
  /** Oldest first. */
  states: { at: number; state: VmState }[];
  /** From then on no list shows it. */
  removedAt: number | null;
  /** Until then what was asked before is still being done; others wait. */
  busyUntil: number;
  /** Nothing was ever made of it but its object: there was no room for it, or its deploy has failed. */
  stillborn: boolean;
  /** What is being done to it. */
  job: { id: string } | undefined;
}

export function stateAt(vm: Vm, at: number): VmState | undefined {
  if (vm.removedAt !== null && vm.removedAt <= at) return undefined;
  let found: VmState | undefined;
  for (const one of vm.states) if (one.at <= at) found = one.state;
  return found;
}

export const stateOf = (vm: Vm): VmState => vm.states.at(-1)?.state ?? 'Unknown';

export const isDead = (state: VmState | undefined): boolean => state === 'Destroyed' || state === 'Expunging';

/** How the provider marks a display name: the claim's uid comes first in it, and then the attempt. */
const marked = /\(poolwright ([^/() ]+)\/(\d+)\//;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The claim that a VM is for. Tags come in a call of their own, so what the deploy itself says counts until then. */
export function claimUidIn({
  tags,
  texts,
}: {
  tags: Tags;
  texts: readonly (string | undefined)[];
}): string | undefined {
  if (tags[tagKeys.claimUid] !== undefined) return tags[tagKeys.claimUid];
  for (const text of texts) {
    const [, uid] = marked.exec(text ?? '') ?? [];
    if (uid !== undefined) return decodeURIComponent(uid);
    const [found] = uuid.exec(text ?? '') ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}

export const claimUidOf = (vm: Vm): string | undefined =>
  claimUidIn({ tags: vm.tags, texts: [vm.displayName === vm.name ? undefined : vm.displayName] });

function attemptOf({ tags, displayName }: Vm): number | undefined {
  const text = tags[tagKeys.attempt] ?? marked.exec(displayName)?.[2];
  return text === undefined ? undefined : Number(text);
}

/** What is left of a failed deploy costs nothing, and yet it is there until somebody destroys it. */
export const isLeftOver = (vm: Vm): boolean => vm.removedAt === null && stateOf(vm) === 'Error';

export const toLedger = (vm: Vm): LedgerEntry => ({
  ...recordToLedger(vm.record),
  id: vm.id,
  name: vm.name,
  tags: vm.tags,
  claimUid: claimUidOf(vm) ?? null,
  attempt: attemptOf(vm) ?? null,
});
