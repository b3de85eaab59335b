/**
 * Names of workflows. A workflow is about one object of a cluster, its subject: a claim, a pool, whatever a product brings. The key holds
 * the uid of the subject, so a namesake never meets another's history; the id is the key with its epoch.
 */
export interface Subject {
  cluster: string;
  uid: string;
}

/** `production/<uid>/launch`. */
export const keyFor = ({ cluster, uid }: Subject, workflow: string): string => `${cluster}/${uid}/${workflow}`;

export const idFor = (key: string, epoch: number): string => `${key}/${epoch}`;

export interface WorkflowId {
  key: string;
  epoch: number;
  subject: Subject;
  workflow: string;
}

/** Undefined for a text that is not an id. A key of another shape has what it has: the rest is empty. */
export function readId(id: string): WorkflowId | undefined {
  const [, key, epoch] = /^(.+)\/(\d+)$/.exec(id) ?? [];
  if (key === undefined) return undefined;
  const [cluster = '', uid = '', ...workflow] = key.split('/');
  return { key, epoch: Number(epoch), subject: { cluster, uid }, workflow: workflow.join('/') };
}
