/** Reads the marks of `tags.ts` back: whose something is. */
import { labelNames, tagNames } from './tags.ts';

type Texts = Readonly<Record<string, unknown>> | undefined;

const textIn = (texts: Texts, key: string): string | undefined => {
  const value = texts?.[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Uid of the request that an object of Kubernetes belongs to. */
export const requestUidIn = (labels: Texts): string | undefined => textIn(labels, labelNames.uid);

/** The same of something in Azure. */
export const requestUidInTags = (tags: Texts): string | undefined => textIn(tags, tagNames.uid);

/** What people recognize it by: `team-a/web of deployment office`. */
export function describeOwner(tags: Texts): string | undefined {
  const [request, deployment] = [textIn(tags, tagNames.request), textIn(tags, tagNames.deployment)];
  if (request === undefined) return undefined;
  return deployment === undefined ? `request ${request}` : `request ${request} of deployment ${deployment}`;
}

export const ownLabelSelector = (uid?: string): string =>
  `${labelNames.managedBy}=poolwright,${uid === undefined ? labelNames.uid : `${labelNames.uid}=${uid}`}`;
