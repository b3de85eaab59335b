/** Tags and labels that say whose something is. Nothing that lacks them is ever deleted. */
import { shortened } from './names.ts';

const tagNames = {
  deployment: 'poolwright-deployment',
  request: 'poolwright-cluster-request',
  uid: 'poolwright-cluster-request-uid',
} as const;
export const ownTagNames: readonly string[] = Object.values(tagNames);

export interface Owner {
  /** Name of the deployment that carries the request out. */
  deployment: string;
  namespace: string;
  name: string;
  uid: string;
}

export const tagsOf = (owner: Owner): Record<string, string> => ({
  [tagNames.deployment]: owner.deployment,
  [tagNames.request]: shortened(`${owner.namespace}/${owner.name}`, 256),
  [tagNames.uid]: owner.uid,
});

export const labelsOf = (owner: Owner): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'poolwright',
  'poolwright.dev/cluster-request': shortened(owner.name),
  'poolwright.dev/cluster-request-uid': owner.uid,
});
