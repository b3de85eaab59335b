/**
 * Tags that a VM lacks: a crash between a deploy and its tags left them out, and without ids of our own no launch writes them any more; or
 * a person deleted them. Garbage collection writes those that say whose the VM is, so that a person who edits its display name loses
 * nothing, and those of its class.
 */
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { cloudStackTags, ownTagsFor, type Tags, tagFields } from './ownership.ts';
import type { OwnedVm } from './vm.ts';
import type { Volumes } from './volumes.ts';

export interface LateTagsParts {
  client: Pick<CloudStackClient, 'call'>;
  volumes: Pick<Volumes, 'tag'>;
  clock: Clock;
  /** The class that the VM was made of and its tags; undefined while no class was resolved here that it surely was made of. */
  classOf(vm: OwnedVm): { name: string; tags: Tags } | undefined;
}

/** Before that its launch may still write more than we know here, and two writes of one key are refused. */
const launchedMs = 900_000;
/** Where they are refused, the next list tries again. */
const mostAtOnce = 20;

export async function writeLateTags(
  { client, volumes, clock, classOf }: LateTagsParts,
  found: readonly OwnedVm[],
  signal: AbortSignal,
): Promise<void> {
  const due = found
    .filter(({ state, createdAt }) => state === 'Running' && clock.now() - createdAt >= launchedMs)
    .map((vm) => ({ vm, lacking: lackingOf(vm, classOf(vm)) }))
    .filter(({ lacking }) => Object.keys(lacking).length > 0);
  for (const { vm, lacking } of due.slice(0, mostAtOnce)) {
    const params = { resourceids: [vm.id], resourcetype: 'UserVm', tags: tagFields(lacking) };
    const written = await client.call('createTags', params, signal);
    if (written.ok && !vm.tagged) await volumes.tag(vm, lacking, signal);
  }
}

/** What it has with another value stays: CloudStack refuses a second tag of one key, and a person may have meant it. */
function lackingOf(vm: OwnedVm, made: ReturnType<LateTagsParts['classOf']>): Tags {
  const { owner, claimName, instanceType, capacityType } = vm.owned;
  const ofClass = made && { ...made.tags, [cloudStackTags.nodeClass]: made.name };
  // Nobody has looked at its class since this process began: what it was made as is not known yet.
  const isKnown = claimName && instanceType !== undefined && capacityType !== undefined;
  if (!vm.tagged && !isKnown) return {};
  const own = isKnown && !vm.tagged ? ownTagsFor(owner, claimName, { instanceType, capacityType }) : {};
  const ofClaim = claimName ? { [cloudStackTags.nodeClaim]: claimName } : {};
  const all = Object.entries({ ...ofClass, ...ofClaim, ...own });
  return Object.fromEntries(all.filter(([key]) => vm.tags[key] === undefined));
}
