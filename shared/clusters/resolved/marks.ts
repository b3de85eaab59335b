/** Reads the marks of `tags.ts` back: whose something is. */
import { defined } from '../../base/defined.ts';
import { labelNames, type Owner, tagNames } from './tags.ts';

type Texts = Readonly<Record<string, unknown>> | undefined;

const textIn = (texts: Texts, key: string): string | undefined => {
  const value = texts?.[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Uid of the request that an object of Kubernetes belongs to. */
export const requestUidIn = (labels: Texts): string | undefined => textIn(labels, labelNames.uid);

/** The same of something in Azure. */
export const requestUidInTags = (tags: Texts): string | undefined => textIn(tags, tagNames.uid);

/** The same, and what else its tags say. Undefined without a uid. */
export function ownerIn(tags: Texts): (Pick<Owner, 'uid'> & Partial<Owner>) | undefined {
  const uid = requestUidInTags(tags);
  if (uid === undefined) return undefined;
  const [namespace, name] = (textIn(tags, tagNames.request) ?? '').split('/');
  const deployment = textIn(tags, tagNames.deployment);
  return {
    uid,
    ...defined({ deployment, namespace: namespace || undefined, name, seed: textIn(tags, tagNames.seed) }),
  };
}

/** What people recognize it by: `team-a/web of deployment office`. */
export function describeOwner(tags: Texts): string | undefined {
  const [request, deployment] = [textIn(tags, tagNames.request), textIn(tags, tagNames.deployment)];
  if (request === undefined) return undefined;
  return deployment === undefined ? `request ${request}` : `request ${request} of deployment ${deployment}`;
}

export const ownLabelSelector = (uid?: string): string =>
  `${labelNames.managedBy}=poolwright,${uid === undefined ? labelNames.uid : `${labelNames.uid}=${uid}`}`;
