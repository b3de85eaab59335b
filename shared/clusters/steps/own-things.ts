/** Which of the things that a driver finds are surely those of a request. Pure. */
import type { Found } from '../drivers/contract.ts';
import { type Manifest, type PlannedStage, placeAnnotations } from '../manifests/manifest.ts';
import type { RequestRecord } from './record.ts';

export const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

const keysIn = (stages: readonly PlannedStage[]): string[] =>
  stages.filter(({ cluster }) => cluster === 'management').flatMap(({ manifests }) => manifests.map(keyOf));

/** What was asked for before and is not now. @param stillThere What an earlier attempt did not come to remove. */
export function droppedBetween(
  before: readonly PlannedStage[],
  now: readonly PlannedStage[],
  stillThere: readonly string[],
): string[] {
  const wanted = new Set(keysIn(now));
  return [...new Set([...stillThere, ...keysIn(before)])].filter((key) => !wanted.has(key));
}

/** What nobody asks for any more. What has no marks may be somebody else's, so the record has to say that it was ours. */
export const leftOver = (
  found: readonly Found[],
  wanted: readonly Manifest[],
  { dropped = [] }: RequestRecord,
): Manifest[] => {
  const keep = new Set(wanted.map(keyOf));
  return found
    .filter(({ byPlace, manifest }) => byPlace !== true || dropped.includes(keyOf(manifest)))
    .map(({ manifest }) => manifest)
    .filter((one) => !keep.has(keyOf(one)));
};

/**
 * It has the marks of the request, and is where the request has never made anything: somebody has copied a group with its tags. Without a
 * record, the marks alone decide.
 */
export function isElsewhere({ manifest }: Found, record: Pick<RequestRecord, 'resolved'> | undefined): boolean {
  const group = manifest.metadata.annotations?.[placeAnnotations.resourceGroup];
  if (record === undefined || group === undefined) return false;
  return group.toLowerCase() !== record.resolved.resourceGroup.toLowerCase();
}
