/** The HTTP app over a real queue and state in memory, with two clusters. */

import type { FunctionServices } from '../../functions/declaration.ts';
import { createHttpApp, type HttpOptions } from '../../functions/http/app.ts';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import { countingIds, manualClock, seededRandom } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { noClusterSettings } from '../../shared/kube/cluster-settings.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { collectingLog, silentLog } from '../../shared/observe/log/log.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import { servingOf } from '../../shared/providers/serving.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import type { Queue, QueueOptions } from '../../shared/queue/contract.ts';
import { openSqliteQueue } from '../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../shared/queue/sqlite/schema.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import type { WorkflowClient } from '../../shared/workflow/contract.ts';
import { lifecycleSettings } from '../lifecycle-settings.ts';

export const token = 'a-token-that-only-tests-know';

export interface HttpWorldOptions extends Partial<Omit<HttpOptions, 'services'>> {
  /** The cluster `production`; without it, nobody answers there. */
  api?: ClusterApi;
  client?: WorkflowClient;
  cluster?: Partial<ClusterServices>;
  decorate?: (queue: Queue) => Queue;
  queueOptions?: Partial<QueueOptions>;
  diskProblem?: () => string | undefined;
}

/** What a Request takes as its body. */
export type Body = string | Uint8Array<ArrayBuffer>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body, when it is JSON. */
  json: { [key: string]: Json };
}

const noWorkflows: WorkflowClient = {
  ensure: async () => ({ id: 'none/1', epoch: 1, started: false }),
  signal: async () => undefined,
  latest: async () => undefined,
};

export const unreachableCluster = (): ClusterApi =>
  connectCluster({
    name: 'production',
    url: 'http://127.0.0.1:1',
    clock: manualClock(),
    log: silentLog,
    requestTimeoutMs: 2000,
    fieldManager: 'poolwright',
  });

export function httpWorld(options: HttpWorldOptions = {}) {
  const {
    api = unreachableCluster(),
    client = noWorkflows,
    cluster,
    decorate = (queue) => queue,
    queueOptions,
    diskProblem,
    ...http
  } = options;
  const clock = manualClock();
  const ids = countingIds('id');
  const log = collectingLog();
  const provider = createSimProvider({ url: 'http://127.0.0.1:1', clock });
  const clusterOf = (name: string): ClusterServices => ({
    name,
    api,
    identity: async () => ({ ok: true, value: 'kube-system-uid' }),
    providers: [provider],
    serving: (claim) => servingOf([{ provider, type: 'sim' }], claim),
    preferredProviders: async () => ({ ok: true, value: [] }),
    paused: false,
    pausedProviders: new Set(),
    settings: noClusterSettings,
    garbageCollection: { graceSeconds: 60, maxDeletesPercent: 10, maxDeletesAtLeast: 5 },
    ...cluster,
  });
  const clusters = [clusterOf('production'), clusterOf('staging')];
  const queue = openSqliteQueue({
    ...openQueueDatabase({ file: ':memory:' }),
    name: 'events',
    clock,
    ids,
    options: { visibilitySeconds: 30, maxReceives: 5, maxBodyBytes: 65_536, ...queueOptions },
    ...defined({ diskProblem }),
  });
  const services: FunctionServices = {
    deployment: 'test',
    clusters,
    ownership: soleOwner,
    cluster: (name) => clusters.find((one) => one.name === name),
    state: openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock }),
    events: decorate(queue),
    workflows: client,
    clock,
    ids,
    random: seededRandom(1),
    log,
    metrics: createMetrics(),
    settings: lifecycleSettings(),
  };
  const app = createHttpApp({
    members: () => [],
    token: () => token,
    ready: async () => ({ ready: true, checks: {} }),
    version: '1.2.3',
    ...http,
    services,
  });

  /** With the token, unless the headers say otherwise. */
  async function ask(method: string, path: string, init: { headers?: Record<string, string>; body?: Body } = {}) {
    const request = new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
      ...defined({ body: init.body }),
    });
    const response = await app.fetch(request);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} } as Answer;
  }

  return {
    app,
    services,
    queue,
    clock,
    log,
    ask,
    get: (path: string) => ask('GET', path),
    send: (method: string, path: string, body: Json, contentType = 'application/json') =>
      ask(method, path, { headers: { 'content-type': contentType }, body: JSON.stringify(body) }),
  };
}

export type HttpWorld = ReturnType<typeof httpWorld>;

/** A good event, to be spoilt by tests. */
export const anEvent = (more: { [key: string]: Json } = {}, data: { [key: string]: Json } = {}) => ({
  specversion: '1.0',
  id: 'e-1',
  source: '/test',
  type: 'dev.poolwright.claim.changed.v1',
  data: { cluster: 'production', name: 'web-1', uid: 'u-1', deleting: false, observedBy: 'bridge', ...data },
  ...more,
});
