/** Workflows as the host tells them, and how people name one. */

import type { Json } from '../../../shared/base/json.ts';
import { nodeClaims } from '../../../shared/kube/contract.ts';
import { type ClusterChoice, openClusterIfAny } from '../../reach/cluster-access.ts';
import { type HostAddress, type HostApi, HostProblem } from '../../reach/host-api.ts';
import { parseTarget } from '../../reach/target.ts';
import { clusterFor, whichCluster } from '../../reach/which-cluster.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface Workflow {
  id: string;
  key: string;
  epoch: number;
  workflow: string;
  version: number;
  status: 'running' | 'completed' | 'failed' | 'mismatched' | 'set-aside';
  startedAt: string;
  endedAt?: string;
  waitingFor?: string;
  /** The same as data; a host that is older than this command does not tell it. */
  waiting?: { command: string; name?: string; until?: string };
  result?: Json;
  error?: string;
  /** The name of its claim, where the cluster still has it; not from the host. */
  claim?: string;
}

export interface WorkflowHistory extends Workflow {
  group: string;
  input: Json;
  history: { step: number; command: string; ok: boolean; value?: Json; error?: string; at: string }[];
  signals: string[];
}

export interface WhichOptions extends HostAddress, ClusterChoice {
  dataDir: string;
  cluster?: string;
  uid?: string;
}

export const pathOf = (id: string): string => `/v1/workflows/${encodeURIComponent(id)}`;

/** `claim/web-1` or a bare name is the newest workflow of that claim; all else is an id, with or without its kind before it. */
export async function inspect(api: HostApi, word: string, options: WhichOptions): Promise<WorkflowHistory> {
  const plain = word.replace(/^(workflows?|wf)\//i, '');
  const isId = plain.split('/').length > 2;
  const id = isId ? plain : await newestOf(api, parseTarget([plain], ['claim']).name, options);
  return api.ask<WorkflowHistory>('GET', pathOf(id));
}

async function newestOf(api: HostApi, claim: string, options: WhichOptions): Promise<string> {
  const cluster = await clusterFor(api, options);
  const uid = options.uid ?? (await uidOf(api, cluster, claim, options));
  const { items } = await api.ask<{ items: Workflow[] }>('GET', '/v1/workflows', { query: { cluster, uid } });
  const newest = items.find(({ status }) => status === 'running') ?? items.at(-1);
  if (newest) return newest.id;
  throw new UserError(
    `There is no record of a workflow for claim ${claim}: none was needed yet, or it ended long ago. Run 'poolwright explain claim/${claim}' for its state.`,
    { code: 'UnknownWorkflow' },
  );
}

async function uidOf(api: HostApi, cluster: string, claim: string, options: WhichOptions): Promise<string> {
  const path = `/v1/claims/${encodeURIComponent(cluster)}/${encodeURIComponent(claim)}/decisions`;
  try {
    return (await api.ask<{ uid: string }>('GET', path)).uid;
  } catch (error) {
    if (!(error instanceof HostProblem) || error.kind !== 'unknown-claim') throw error;
    const near = await nearestClaim(api, cluster, claim, options);
    const otherwise =
      near === '' ? ". If it was deleted, pass its uid with --uid; 'poolwright workflows' lists all workflows." : '';
    const text = `Cluster ${cluster} has no NodeClaim ${claim}${otherwise}`;
    throw new UserError(text, { code: 'UnknownClaim', hint: near });
  }
}

/** The kubeconfig may lead to another cluster, whose names would only mislead. */
async function nearestClaim(api: HostApi, cluster: string, claim: string, options: WhichOptions): Promise<string> {
  const reached = await openClusterIfAny(options);
  if (reached === undefined) return '';
  try {
    const isSame = (await whichCluster(api, reached, undefined).catch(() => undefined)) === cluster;
    return isSame ? await (await import('../../reach/nearest-name.ts')).nearestName(reached, nodeClaims, claim) : '';
  } finally {
    reached.close();
  }
}
