/** Whose a machine is, in tags, and what it was made as: for servers that give the tags of a create back. */
import { isObject } from '../../../base/json.ts';
import { tags as tagKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { InstanceTags } from '../../contract.ts';
import type { Made } from './made.ts';

const madeAs = 'poolwright.dev/made-as';

/** `key=value`, as the tags of hypervisors are plain texts. */
export const textTags = (tags: Readonly<Record<string, string>>): string[] =>
  Object.entries(tags).map(([key, value]) => (value === '' ? key : `${key}=${value}`));

export const ownerTags = (owner: InstanceTags, claimName: string): string[] =>
  textTags({
    [tagKeys.deployment]: owner.deployment,
    [tagKeys.cluster]: owner.cluster,
    [tagKeys.claimUid]: owner.claimUid,
    [tagKeys.attempt]: String(owner.attempt),
    [tagKeys.claim]: claimName,
  });

export const madeTag = (made: Made): string => `${madeAs}=${JSON.stringify(made)}`;

interface Tagged {
  owner: InstanceTags;
  claimName: string;
  made?: Made;
}

/** Undefined: no tags of ours, or not all of them. */
export function ownerInTags(tags: readonly string[]): Tagged | undefined {
  const said = new Map(
    tags.map((tag) => {
      const [key = '', value = ''] = tag.split(/=(.*)/s);
      return [key, value];
    }),
  );
  const [deployment, cluster, claimUid, attempt] = [
    tagKeys.deployment,
    tagKeys.cluster,
    tagKeys.claimUid,
    tagKeys.attempt,
  ].map((key) => said.get(key));
  if (!deployment || !cluster || !claimUid || !(Number(attempt) >= 1)) return;
  const made = madeIn(said.get(madeAs));
  return {
    owner: { deployment, cluster, claimUid, attempt: Number(attempt) },
    claimName: said.get(tagKeys.claim) ?? '',
    ...(made === undefined ? {} : { made }),
  };
}

function madeIn(text: string | undefined): Made | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) && typeof value.instanceType === 'string' ? (value as unknown as Made) : undefined;
  } catch {
    return;
  }
}
