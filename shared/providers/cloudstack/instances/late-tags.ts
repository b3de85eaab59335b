/**
 * Tags that a crash between a deploy and its tags left out, and that no launch writes any more: without ids of our own, whoever comes
 * later finds the VM by its display name and does not deploy again. Garbage collection writes those that say whose the VM is, so that a
 * person who edits its display name loses nothing.
 */
import type { Clock } from '../../../base/runtime.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { cloudStackTags, ownTagsFor, tagFields } from './ownership.ts';
import type { OwnedVm } from './vm.ts';
import type { Volumes } from './volumes.ts';

export interface LateTagsParts {
  client: Pick<CloudStackClient, 'call'>;
  volumes: Pick<Volumes, 'tag'>;
  clock: Clock;
}

/** Before that its launch may still write more than we know here, and two writes of one key are refused. */
const launchedMs = 900_000;
/** Where they are refused, the next list tries again. */
const mostAtOnce = 20;

export async function writeLateTags(
  { client, volumes, clock }: LateTagsParts,
  found: readonly OwnedVm[],
  signal: AbortSignal,
): Promise<void> {
  const due = found.filter(
    ({ tagged, state, createdAt }) => !tagged && state === 'Running' && clock.now() - createdAt >= launchedMs,
  );
  for (const vm of due.slice(0, mostAtOnce)) {
    const { owner, claimName, instanceType, capacityType } = vm.owned;
    // Nobody has looked at its class since this process began: what it was made as is not known yet.
    if (!claimName || instanceType === undefined || capacityType === undefined) continue;
    const tags = {
      ...ownTagsFor(owner, claimName, { instanceType, capacityType }),
      [cloudStackTags.nodeClaim]: claimName,
    };
    const params = { resourceids: [vm.id], resourcetype: 'UserVm', tags: tagFields(tags) };
    const written = await client.call('createTags', params, signal);
    if (written.ok) await volumes.tag(vm, tags, signal);
  }
}
