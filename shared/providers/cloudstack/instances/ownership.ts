/**
 * Whose a VM is. CloudStack takes no tags with a deploy, so the display name, which it does take, says it from the first moment; tags
 * follow in a call of their own. Either is enough: a crash between the two calls loses nothing, and neither does a person who edits
 * one of them.
 */
import { defined } from '../../../base/defined.ts';
import type { OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import { capacityTypes, labels as labelKeys, tags as tagKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { CreateRequest, InstanceTags } from '../../contract.ts';

export type Tags = Readonly<Record<string, string>>;

/** Our own, beside those that every provider has. */
export const cloudStackTags = {
  /** Its hash is what the VM was made of; where CloudStack shows something else by now, a person changed it. */
  madeOf: 'poolwright.dev/made-of',
  /** What is known only once the VM is there, as the first look found it. */
  firstSeen: 'poolwright.dev/first-seen',
  instanceType: 'poolwright.dev/instance-type',
  capacityType: 'poolwright.dev/capacity-type',
  /** How many data volumes the deploy made: without them nobody has to ask which to delete. */
  volumes: 'poolwright.dev/volumes',
  nodeClass: 'karpenter.k8s.cloudstack/nodeclass',
  nodeClaim: 'karpenter.sh/nodeclaim',
} as const;

/** Columns of CloudStack's database. */
const longestDisplayName = 255;
export const longestTagValue = 255;
const cut = '…';

/** What a VM says of its owner, and of what it was made as. */
export interface Owned {
  owner: InstanceTags;
  /** Absent where the display name had no room for it and there are no tags yet. */
  claimName?: string;
  instanceType?: string;
  capacityType?: OfferingRef['capacityType'];
}

/** For people first: the claim, then whose it is. The claim's uid stands before the cluster's. */
export function displayNameFor(owner: InstanceTags, claimName: string): string {
  const { deployment, cluster, claimUid, attempt } = owner;
  const mark = ` (poolwright ${[claimUid, attempt, deployment, cluster].map((part) => encoded(part)).join('/')})`;
  const room = longestDisplayName - mark.length;
  return claimName.length <= room ? `${claimName}${mark}` : `${claimName.slice(0, room - 1)}${cut}${mark}`;
}

/** Also the parentheses, which end the mark. */
const encoded = (part: string | number): string =>
  encodeURIComponent(part).replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29'));

const marked = /^(.*) \(poolwright ([^/() ]+)\/(\d{1,9})\/([^/() ]+)\/([^/() ]+)\)$/s;

export function ownedByDisplayName(displayName: string | undefined): Owned | undefined {
  const [, claimName = '', claimUid, attempt, deployment, cluster] = marked.exec(displayName ?? '') ?? [];
  if (claimUid === undefined || deployment === undefined || cluster === undefined || Number(attempt) < 1) {
    return undefined;
  }
  const owner = {
    deployment: decoded(deployment),
    cluster: decoded(cluster),
    claimUid: decoded(claimUid),
    attempt: Number(attempt),
  };
  return { owner, ...(claimName.endsWith(cut) ? {} : { claimName }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function ownedByTags(tags: Tags): Owned | undefined {
  const deployment = tags[tagKeys.deployment];
  const cluster = tags[tagKeys.cluster];
  const claimUid = tags[tagKeys.claimUid];
  const attempt = Number(tags[tagKeys.attempt]);
  if (!deployment || !cluster || !claimUid || !Number.isSafeInteger(attempt) || attempt < 1) return undefined;
  const capacityType = capacityTypes.find((one) => one === tags[cloudStackTags.capacityType]);
  return {
    owner: { deployment, cluster, claimUid, attempt },
    claimName: tags[tagKeys.claim] ?? '',
    ...defined({ instanceType: tags[cloudStackTags.instanceType], capacityType }),
  };
}

/** The instance group in which people find all VMs of a cluster together. */
export const groupFor = ({ deployment, cluster }: Pick<InstanceTags, 'deployment' | 'cluster'>): string =>
  `poolwright-${deployment}-${cluster}`;

export interface MadeOf {
  hash: string;
  volumes: number;
}

export function tagsFor(request: CreateRequest, made: MadeOf, own: Tags = {}): Record<string, string> {
  const { owner, claimName, nodeClass, claim, offering } = request;
  const pool = claim.labels[labelKeys.nodePool];
  const all = {
    ...own,
    ...(pool === undefined ? {} : { [labelKeys.nodePool]: pool }),
    [cloudStackTags.nodeClaim]: claimName,
    [cloudStackTags.nodeClass]: nodeClass.name,
    ...ownTagsFor(owner, claimName, offering),
    [cloudStackTags.madeOf]: made.hash,
    [cloudStackTags.volumes]: String(made.volumes),
  };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, value.slice(0, longestTagValue)]));
}

/** Those by which a VM is found again, and what it was made as. */
export const ownTagsFor = (
  owner: InstanceTags,
  claimName: string,
  { instanceType, capacityType }: Pick<OfferingRef, 'instanceType' | 'capacityType'>,
): Record<string, string> => ({
  [tagKeys.claim]: claimName,
  [tagKeys.deployment]: owner.deployment,
  [tagKeys.cluster]: owner.cluster,
  [tagKeys.claimUid]: owner.claimUid,
  [tagKeys.attempt]: String(owner.attempt),
  [cloudStackTags.instanceType]: instanceType,
  [cloudStackTags.capacityType]: capacityType,
});

export const isSameOwner = (one: InstanceTags, other: InstanceTags): boolean =>
  one.deployment === other.deployment &&
  one.cluster === other.cluster &&
  one.claimUid === other.claimUid &&
  one.attempt === other.attempt;

/** As a parameter of `createTags` and as a filter of lists. */
export const tagFields = (tags: Tags): { key: string; value: string }[] =>
  Object.entries(tags).map(([key, value]) => ({ key, value }));
