/** What a simulated kubelet (and the controllers around it) needs from a cluster, and the same over HTTP. */

import { defined } from '../../shared/base/defined.ts';
import { isObject, type Json } from '../../shared/base/json.ts';
import type { Result } from '../../shared/base/result.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodes } from '../../shared/kube/contract.ts';
import { createHttpClient, type HttpAnswer, type HttpMethod } from '../../shared/net/http-client.ts';
import type { Node } from '../../shared/nodes/claims/spec/types.ts';

/** `conflict`: it exists already, or another version of it. `retry`: nobody knows; try again later. */
export type NodeAnswer =
  | { answer: 'ok'; object: Json }
  | { answer: 'missing' }
  | { answer: 'conflict' }
  | { answer: 'retry'; message: string };

export interface KubeletHook {
  createNode(node: Json): Promise<NodeAnswer>;
  getNode(name: string): Promise<NodeAnswer>;
  /** A merge patch; a resourceVersion in it makes it conditional. */
  patchNode(name: string, patch: Json, subresource?: 'status'): Promise<NodeAnswer>;
  deleteNode(name: string): Promise<NodeAnswer>;
  /** The simulated agent reads there which taints are startup taints. */
  getNodeClaim(name: string): Promise<NodeAnswer>;
  close?(): void;
}

const usualTimeoutMs = 10_000;

/** Where machines join, and by what right. */
export interface KubeletAccess {
  clusterUrl: string;
  token?: string;
  /** PEM, where no public authority vouches for the cluster. */
  ca?: string;
}

export function httpNodeApi(options: KubeletAccess & { maxSockets?: number }): KubeletHook {
  const client = createHttpClient({
    baseUrl: options.clusterUrl,
    userAgent: 'sim-kubelet',
    maxSockets: options.maxSockets ?? 32,
    ...defined({ ca: options.ca }),
    ...(options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } }),
  });
  const ask = async (method: HttpMethod, path: string, body?: Json): Promise<NodeAnswer> => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
    return toAnswer(await client.request({ method, path, body, headers, timeoutMs: usualTimeoutMs }));
  };
  return {
    createNode: (node) => ask('POST', '/api/v1/nodes', node),
    getNode: (name) => ask('GET', `/api/v1/nodes/${encodeURIComponent(name)}`),
    patchNode: (name, patch, subresource) =>
      ask('PATCH', `/api/v1/nodes/${encodeURIComponent(name)}${subresource === undefined ? '' : '/status'}`, patch),
    deleteNode: (name) => ask('DELETE', `/api/v1/nodes/${encodeURIComponent(name)}`),
    getNodeClaim: (name) => ask('GET', `/apis/karpenter.sh/v1/nodeclaims/${encodeURIComponent(name)}`),
    close: () => client.close(),
  };
}

/** The same over any way into a cluster that the product itself has. */
export function clusterNodeApi(api: ClusterApi): KubeletHook {
  const answerOf = (result: Result<KubeObject>): NodeAnswer => {
    if (result.ok) return { answer: 'ok', object: result.value as KubeObject & Json };
    const { kind, message } = result.error;
    if (kind === 'not-found') return { answer: 'missing' };
    return kind === 'conflict' ? { answer: 'conflict' } : { answer: 'retry', message };
  };
  return {
    createNode: async (node) => answerOf(await api.create(nodes, node)),
    getNode: async (name) => answerOf(await api.get(nodes, { name })),
    patchNode: async (name, patch, subresource) =>
      answerOf(await api.mergePatch(nodes, { name }, patch, subresource === undefined ? {} : { subresource })),
    deleteNode: async (name) => {
      const deleted = await api.delete(nodes, { name }, {});
      return deleted.ok ? { answer: 'ok', object: null } : answerOf(deleted);
    },
    getNodeClaim: async (name) => answerOf(await api.get(nodeClaims, { name })),
    close: () => api.close(),
  };
}

function toAnswer(answer: HttpAnswer): NodeAnswer {
  if (!answer.ok) return { answer: 'retry', message: answer.message };
  if (answer.status >= 200 && answer.status < 300) return { answer: 'ok', object: answer.json() ?? null };
  // A 404 that no API server wrote comes from something in between, and says nothing about the Node.
  if (answer.status === 404 && answer.text.includes('"Status"')) return { answer: 'missing' };
  if (answer.status === 409) return { answer: 'conflict' };
  return { answer: 'retry', message: `the cluster answered ${answer.status}` };
}

/** The parts of an answered Node that a kubelet looks at. */
export const asNode = (object: Json): Pick<Node, 'metadata' | 'spec' | 'status'> | undefined =>
  isObject(object) && typeof object.metadata === 'object'
    ? (object as { [key: string]: Json } & Pick<Node, 'metadata' | 'spec' | 'status'>)
    : undefined;
