/** Tags and labels that say whose something is. Nothing that lacks them is ever deleted. */
import { shortened } from './names.ts';

export const tagNames = {
  deployment: 'poolwright-deployment',
  request: 'poolwright-cluster-request',
  uid: 'poolwright-cluster-request-uid',
  /** What its names in Azure derive from, where that is no longer the uid. */
  seed: 'poolwright-cluster-request-seed',
} as const;
/** Written by the driver `arm` alone: of which manifest all has been written. */
export const manifestTag = 'poolwright-manifest';
export const labelNames = {
  managedBy: 'app.kubernetes.io/managed-by',
  request: 'poolwright.dev/cluster-request',
  uid: 'poolwright.dev/cluster-request-uid',
} as const;
export const ownTagNames: readonly string[] = [...Object.values(tagNames), manifestTag];

export interface Owner {
  /** Name of the deployment that carries the request out. */
  deployment: string;
  namespace: string;
  name: string;
  uid: string;
  /** The uid of the request that this one continues: what has its uid in its name keeps that name. */
  seed?: string | undefined;
}

export const tagsOf = (owner: Owner): Record<string, string> => ({
  [tagNames.deployment]: owner.deployment,
  [tagNames.request]: shortened(`${owner.namespace}/${owner.name}`, 256),
  [tagNames.uid]: owner.uid,
  ...(owner.seed === undefined ? {} : { [tagNames.seed]: owner.seed }),
});

export const labelsOf = (owner: Owner): Record<string, string> => ({
  [labelNames.managedBy]: 'poolwright',
  [labelNames.request]: shortened(owner.name),
  [labelNames.uid]: owner.uid,
});
