/** Tags: what every machine says about whose it is, for us, for EKS and for people who know Karpenter's names. */
import type { OfferingRef } from '../../nodes/claims/choice/offerings.ts';
import { labels as labelKeys, tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { CreateRequest, InstanceTags } from '../contract.ts';

export type Tags = Readonly<Record<string, string>>;

/** Our own, beside those that every provider has. */
export const ec2Tags = {
  /** The client token: an instant fleet does not put it on its instances, and it is the one thing that a lost answer leaves. */
  token: 'poolwright.dev/token',
  name: 'poolwright.dev/name',
  /** EC2 does not tell a machine that was bought of a reservation from one that slipped into it. */
  capacityType: 'poolwright.dev/capacity-type',
  nodeClass: 'karpenter.k8s.aws/ec2nodeclass',
} as const;

const longestValue = 256;

export function tagsFor(request: CreateRequest, clusterName: string, own: Tags = {}): Record<string, string> {
  const { owner, claimName, name, token, nodeClass, claim, offering } = request;
  const pool = claim.labels[labelKeys.nodePool];
  const all = {
    Name: name,
    ...own,
    [`kubernetes.io/cluster/${clusterName}`]: 'owned',
    'eks:eks-cluster-name': clusterName,
    ...(pool === undefined ? {} : { [labelKeys.nodePool]: pool }),
    'karpenter.sh/nodeclaim': claimName,
    [ec2Tags.nodeClass]: nodeClass.name,
    ...ownTagsFor(owner, claimName, offering),
    [ec2Tags.token]: token,
    [ec2Tags.name]: name,
  };
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, value.slice(0, longestValue)]));
}

/** Those by which we find a machine again, and what it was bought as. */
export const ownTagsFor = (
  owner: InstanceTags,
  claimName: string,
  { capacityType }: Pick<OfferingRef, 'capacityType'>,
): Record<string, string> => ({
  [tagKeys.claim]: claimName,
  [tagKeys.deployment]: owner.deployment,
  [tagKeys.cluster]: owner.cluster,
  [tagKeys.claimUid]: owner.claimUid,
  [tagKeys.attempt]: String(owner.attempt),
  [ec2Tags.capacityType]: capacityType,
});

/** Undefined: it is none of ours, of whatever deployment. */
export function ownerIn(tags: Tags): InstanceTags | undefined {
  const deployment = tags[tagKeys.deployment];
  const cluster = tags[tagKeys.cluster];
  const claimUid = tags[tagKeys.claimUid];
  const attempt = Number(tags[tagKeys.attempt]);
  if (!deployment || !cluster || !claimUid || !Number.isSafeInteger(attempt) || attempt < 1) return undefined;
  return { deployment, cluster, claimUid, attempt };
}

export const isSameOwner = (one: InstanceTags, other: InstanceTags): boolean =>
  one.deployment === other.deployment &&
  one.cluster === other.cluster &&
  one.claimUid === other.claimUid &&
  one.attempt === other.attempt;

/** As the SDK writes them. */
export const toSdkTags = (tags: Tags): { Key: string; Value: string }[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

export function fromSdkTags(tags: readonly { Key?: string | undefined; Value?: string | undefined }[] = []): Tags {
  return Object.fromEntries(tags.flatMap(({ Key, Value = '' }) => (Key === undefined ? [] : [[Key, Value]])));
}

export const tagFilter = (key: string, ...values: string[]): { Name: string; Values: string[] } => ({
  Name: `tag:${key}`,
  Values: values,
});
