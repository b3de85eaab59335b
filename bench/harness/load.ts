/** The load: claims that come and go over the cluster API, as a provisioner's would. */
import { setTimeout as pause } from 'node:timers/promises';
import { createHttpClient, type HttpClient, type HttpRequest } from '../../shared/net/http-client.ts';
import type { WorldProcess } from './world.ts';

const concurrency = 16;
const timeoutMs = 60_000;
const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';

export interface Load {
  /** So many claims, as quickly as the cluster takes them. Their names begin with the prefix. */
  create(prefix: string, count: number): Promise<void>;
  /** So many claims per second, whatever becomes of those before. */
  createEvenly(prefix: string, perSecond: number, count: number): Promise<void>;
  remove(prefix: string, count: number): Promise<void>;
  close(): void;
}

export async function startLoad(world: WorldProcess): Promise<Load> {
  const client = createHttpClient({ baseUrl: world.clusterUrl, userAgent: 'bench', maxSockets: 64 });
  await send(client, {
    method: 'POST',
    path: '/apis/poolwright.dev/v1alpha1/simnodeclasses',
    body: {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'SimNodeClass',
      metadata: { name: 'bench' },
      spec: {},
    },
    timeoutMs,
  });
  const create = (prefix: string, index: number): Promise<void> =>
    send(client, { method: 'POST', path: claimsPath, body: claim(nameOf(prefix, index)), timeoutMs });
  return {
    create: (prefix, count) => inParallel(count, (index) => create(prefix, index)),
    createEvenly: async (prefix, perSecond, count) => {
      const started = performance.now();
      const all: Promise<void>[] = [];
      for (let index = 0; index < count; index++) {
        const wait = started + (index * 1000) / perSecond - performance.now();
        if (wait > 0) await pause(wait);
        all.push(create(prefix, index));
      }
      await Promise.all(all);
    },
    remove: (prefix, count) =>
      inParallel(count, (index) =>
        send(client, { method: 'DELETE', path: `${claimsPath}/${nameOf(prefix, index)}`, timeoutMs }),
      ),
    close: () => client.close(),
  };
}

const nameOf = (prefix: string, index: number): string => `${prefix}-${String(index).padStart(5, '0')}`;

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** 409: a second run on the same world finds the node class there. */
async function send(client: HttpClient, request: HttpRequest): Promise<void> {
  const answer = await client.request(request);
  if (!answer.ok) throw new Error(answer.message);
  if (answer.status >= 300 && answer.status !== 409)
    throw new Error(`${request.path}: ${answer.status} ${answer.text}`);
}

const claim = (name: string) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'bench' },
    requirements: [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    ],
    resources: { requests: { cpu: '2', memory: '4Gi' } },
  },
});
