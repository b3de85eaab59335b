/** Tags of Azure: whose a pool is, and what people put beside it. Azure compares their names without regard to case. */
import { type Problem, quoteInput } from '../../../base/problems.ts';
import type { InstanceTags } from '../../contract.ts';

/** No slashes: Azure forbids them in the names of tags. */
export const ownerTags = {
  deployment: 'poolwright-deployment',
  cluster: 'poolwright-cluster',
  claimUid: 'poolwright-claim-uid',
  claim: 'poolwright-claim',
  attempt: 'poolwright-attempt',
} as const;

const reservedPrefix = 'poolwright-';
const forbiddenInNames = /[<>%&\\?/]/;
const reservedByAzure = /^(microsoft|azure|windows)/i;
export const longestTagName = 512;
export const longestTagValue = 256;
const mostTags = 50;
/** What is left beside our own. */
export const mostOwnTags = mostTags - Object.keys(ownerTags).length;

export const tagsOf = (owner: InstanceTags, claimName: string): Record<string, string> => ({
  [ownerTags.deployment]: owner.deployment,
  [ownerTags.cluster]: owner.cluster,
  [ownerTags.claimUid]: owner.claimUid,
  [ownerTags.claim]: claimName,
  [ownerTags.attempt]: String(owner.attempt),
});

/** What Azure would refuse, or would make a pool of ours look like somebody else's. */
export function tagProblems(tags: Readonly<Record<string, string>>, path: string): Problem[] {
  const problems: Problem[] = [];
  const names = Object.keys(tags);
  if (names.length > mostOwnTags) {
    const own = mostTags - mostOwnTags;
    const message = `${names.length} tags are too many: Azure allows ${mostTags}, of which ${own} identify the owner of the pool; keep at most ${mostOwnTags}`;
    problems.push({ path, message });
  }
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(tags)) {
    const at = `${path}[${quoteInput(name)}]`;
    const fault = nameFault(name) ?? valueFault(value);
    if (fault !== undefined) problems.push({ path: at, message: fault });
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      problems.push({ path: at, message: `to Azure it is the same name as ${quoteInput(other)}; keep one of them` });
    }
    seen.set(name.toLowerCase(), name);
  }
  return problems;
}

function nameFault(name: string): string | undefined {
  if (name === '' || name.length > longestTagName) return `the name of a tag has 1 to ${longestTagName} characters`;
  if (forbiddenInNames.test(name)) return 'the name of a tag must not contain any of < > % & \\ ? /';
  if (name.toLowerCase().startsWith(reservedPrefix)) {
    return `tags that start with ${reservedPrefix} identify the owner of a pool; choose another name`;
  }
  if (reservedByAzure.test(name))
    return 'Azure reserves names that start with microsoft, azure or windows; choose another';
  return undefined;
}

const valueFault = (value: string): string | undefined =>
  value.length > longestTagValue ? `the value of a tag has at most ${longestTagValue} characters` : undefined;

/** A tag by its name, in whatever case Azure hands it back. */
function tagOf(tags: Readonly<Record<string, string>>, name: string): string | undefined {
  if (Object.hasOwn(tags, name)) return tags[name];
  return Object.entries(tags).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Any tag of a Poolwright, whole or not: such a pool is no predecessor's. */
export const hasOwnerTags = (tags: Readonly<Record<string, string>>): boolean =>
  Object.keys(tags).some((key) => key.toLowerCase().startsWith(reservedPrefix));

/** Undefined when the tags are not those of a Poolwright: somebody else's pool. */
export function taggedOwner(
  tags: Readonly<Record<string, string>>,
): { owner: InstanceTags; claimName: string } | undefined {
  const deployment = tagOf(tags, ownerTags.deployment);
  const cluster = tagOf(tags, ownerTags.cluster);
  const claimUid = tagOf(tags, ownerTags.claimUid);
  const attempt = tagOf(tags, ownerTags.attempt);
  if (deployment === undefined || cluster === undefined || claimUid === undefined) return undefined;
  if (attempt === undefined || !/^\d{1,15}$/.test(attempt)) return undefined;
  const owner = { deployment, cluster, claimUid, attempt: Number(attempt) };
  return { owner, claimName: tagOf(tags, ownerTags.claim) ?? '' };
}
