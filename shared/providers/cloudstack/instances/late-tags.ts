/**
 * Tags that a VM lacks: a crash between a deploy and its tags left them out, and without ids of our own no launch writes them any more; or
 * a person deleted them. Garbage collection writes those that say whose the VM is, so that a person who edits its display name loses
 * nothing, and those of its class. A tag of the class that a person gave another value gets its own again: no machine has to be replaced
 * for that. Only where the account may not delete tags is it left, and told.
 */
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { cloudStackTags, longestTagValue, ownTagsFor, type Tags, tagFields } from './ownership.ts';
import type { OwnedVm } from './vm.ts';
import type { Volumes } from './volumes.ts';

export interface LateTagsParts {
  client: Pick<CloudStackClient, 'call'>;
  volumes: Pick<Volumes, 'tag'>;
  clock: Clock;
  /** The class that the VM was made of and its tags; undefined while no class was resolved here that it surely was made of. */
  classOf(vm: OwnedVm): { name: string; tags: Tags } | undefined;
  /** The tags that it got from its class; undefined while nothing here knows them. */
  tagsOf(vm: OwnedVm): Promise<Tags | undefined>;
}

/** By the id of a VM, the tags of its class that have other values and could not be put right. */
export type WrongTags = Record<string, string[]>;

/** Before that its launch may still write more than we know here, and two writes of one key are refused. */
const launchedMs = 900_000;
/** Where they are refused, the next list tries again. */
const mostAtOnce = 20;

export async function writeLateTags(
  parts: LateTagsParts,
  found: readonly OwnedVm[],
  signal: AbortSignal,
): Promise<WrongTags> {
  const { client, volumes, clock, classOf, tagsOf } = parts;
  const wrong: WrongTags = {};
  let written = 0;
  let mayDelete = true;
  for (const vm of found) {
    if (vm.state !== 'Running' || clock.now() - vm.createdAt < launchedMs) continue;
    const ofClass = (await tagsOf(vm)) ?? {};
    const lacking = lackingOf(vm, ofClass, classOf(vm)?.name);
    const differing = Object.keys(ofClass).filter(
      (key) => vm.tags[key] !== undefined && vm.tags[key] !== cut(ofClass, key),
    );
    if (Object.keys(lacking).length === 0 && differing.length === 0) continue;
    if (differing.length > 0 && !mayDelete) wrong[vm.id] = differing;
    if (written >= mostAtOnce || signal.aborted) continue;
    written++;
    if (differing.length > 0 && mayDelete) {
      // If a crash comes in between, they are lacking at the next look.
      const taken = await client.call('deleteTags', { ...on(vm), tags: differing.map((key) => ({ key })) }, signal);
      if (taken.ok) for (const key of differing) lacking[key] = cut(ofClass, key);
      else if (taken.error.kind === 'unauthorised') {
        mayDelete = false;
        wrong[vm.id] = differing;
      }
    }
    if (Object.keys(lacking).length === 0) continue;
    const done = await client.call('createTags', { ...on(vm), tags: tagFields(lacking) }, signal);
    if (done.ok && !vm.tagged) await volumes.tag(vm, lacking, signal);
  }
  return wrong;
}

const on = ({ id }: OwnedVm) => ({ resourceids: [id], resourcetype: 'UserVm' });
const cut = (tags: Tags, key: string): string => (tags[key] ?? '').slice(0, longestTagValue);

function lackingOf(vm: OwnedVm, ofClass: Tags, className: string | undefined): Record<string, string> {
  const { owner, claimName, instanceType, capacityType } = vm.owned;
  const named = className === undefined ? {} : { [cloudStackTags.nodeClass]: className };
  // Nobody has looked at its class since this process began: what it was made as is not known yet.
  const isKnown = claimName && instanceType !== undefined && capacityType !== undefined;
  if (!vm.tagged && !isKnown) return {};
  const own = isKnown && !vm.tagged ? ownTagsFor(owner, claimName, { instanceType, capacityType }) : {};
  const ofClaim = claimName ? { [cloudStackTags.nodeClaim]: claimName } : {};
  const all: Tags = { ...ofClass, ...named, ...ofClaim, ...own };
  const keys = Object.keys(all).filter((key) => vm.tags[key] === undefined);
  return Object.fromEntries(keys.map((key) => [key, cut(all, key)]));
}
