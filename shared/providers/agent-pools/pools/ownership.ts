/**
 * Whose a pool is. Ours carry tags. Those of gpu-provisioner carry none, and stay as they are when they are taken over, so
 * that going back is simple: such a pool counts as a claim's if it has the claim's name, the labels that gpu-provisioner
 * gives to every pool, and the very second of the claim's creation.
 */
import { labels, tags as ownLabels } from '../../../nodes/claims/spec/well-known.ts';
import type { ClaimKey, DeleteTarget, InstanceTags } from '../../contract.ts';
import type { Pool } from '../agent-pools.ts';
import { creationLabel, kaitoLabels } from './labels.ts';
import { hasOwnerTags, taggedOwner } from './tags.ts';

export interface PoolOwner {
  owner: InstanceTags;
  claimName: string;
}

/** gpu-provisioner makes one pool per claim and counts no attempts. */
const takenOverAttempt = 1;

export const sameOwner = (one: InstanceTags, other: InstanceTags): boolean =>
  sameClaim(one, other) && one.attempt === other.attempt;

const sameClaim = (one: Omit<InstanceTags, 'attempt'>, other: Omit<InstanceTags, 'attempt'>): boolean =>
  sameDeployment(one, other) && one.claimUid === other.claimUid;

type Deployment = Pick<InstanceTags, 'deployment' | 'cluster'>;

const sameDeployment = (one: Deployment, other: Deployment): boolean =>
  one.deployment === other.deployment && one.cluster === other.cluster;

/** Made by gpu-provisioner for some claim, as far as its labels say. */
export const looksTakenOver = ({ labels: has, tags }: Pick<Pool, 'labels' | 'tags'>): boolean =>
  !hasOwnerTags(tags) &&
  has[labels.nodePool] !== undefined &&
  has[kaitoLabels.machineType] !== undefined &&
  has[kaitoLabels.creationTimestamp] !== undefined;

function isTakenOverFrom(pool: Pool, createdAt: number | undefined): boolean {
  const label = creationLabel(createdAt);
  return label !== undefined && looksTakenOver(pool) && pool.labels[kaitoLabels.creationTimestamp] === label;
}

/**
 * Whoever sets the tags of a pool by hand (`az aks nodepool update --tags`) replaces all of them, ours too. Its labels still
 * say for which claim it was made, and by which attempt: enough for the claim itself, because no uid is there twice.
 */
function labeledOwner({ labels: has }: Pool): { claimUid: string; attempt: number } | undefined {
  const { [ownLabels.claimUid]: claimUid, [ownLabels.attempt]: attempt = '' } = has;
  return claimUid === undefined || !/^\d{1,15}$/.test(attempt) ? undefined : { claimUid, attempt: Number(attempt) };
}

/** The owner of the pool, if it is the claim's; the pool was asked for by the claim's own pool name. */
export function ownerForClaim(pool: Pool, claim: ClaimKey): PoolOwner | undefined {
  const tagged = taggedOwner(pool.tags);
  if (tagged !== undefined) return sameClaim(tagged.owner, claim) ? tagged : undefined;
  const { deployment, cluster, claimUid, claimName } = claim;
  const labeled = labeledOwner(pool);
  if (labeled !== undefined) {
    return labeled.claimUid === claimUid ? { owner: { deployment, cluster, ...labeled }, claimName } : undefined;
  }
  if (!isTakenOverFrom(pool, claim.createdAt)) return undefined;
  return { owner: { deployment, cluster, claimUid, attempt: takenOverAttempt }, claimName };
}

/** Whether the pool is this attempt's own work, or what gpu-provisioner has made of the same claim. */
export function isOfAttempt(pool: Pool, owner: InstanceTags, createdAt: number | undefined): boolean {
  const tagged = taggedOwner(pool.tags);
  if (tagged !== undefined) return sameOwner(tagged.owner, owner);
  const labeled = labeledOwner(pool);
  if (labeled === undefined) return isTakenOverFrom(pool, createdAt);
  return labeled.claimUid === owner.claimUid && labeled.attempt === owner.attempt;
}

/** The owner of the pool, if it is of this deployment and cluster; nobody says for which claim it is looked for. */
export function ownerInDeployment(pool: Pool, asking: Deployment): PoolOwner | undefined {
  const tagged = taggedOwner(pool.tags);
  if (tagged !== undefined) return sameDeployment(tagged.owner, asking) ? tagged : undefined;
  if (!looksTakenOver(pool)) return undefined;
  // Whose claim it is can't be told from such a pool: no uid is the answer that fits no claim.
  const { deployment, cluster } = asking;
  return { owner: { deployment, cluster, claimUid: '', attempt: takenOverAttempt }, claimName: pool.name };
}

export const mayDelete = (pool: Pool, { owner, createdAt }: DeleteTarget): boolean =>
  isOfAttempt(pool, owner, createdAt);

/** For messages: whose it is instead. */
export function describeOwner(pool: Pool): string {
  const tagged = taggedOwner(pool.tags);
  if (tagged === undefined)
    return looksTakenOver(pool) ? "another claim's, created by gpu-provisioner" : 'not owned by this deployment';
  const { deployment, cluster, claimUid, attempt } = tagged.owner;
  return `of claim ${tagged.claimName} (uid ${claimUid}), attempt ${attempt}, deployment ${deployment}, cluster ${cluster}`;
}
