/** A queue with messages about machines, a cluster with their claims, and the watcher between them as the local host has it. */

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { FunctionServices } from '../../functions/declaration.ts';
import { installExtra } from '../../scripts/extra-packages.ts';
import { inParallel } from '../../shared/base/in-parallel.ts';
import type { Result } from '../../shared/base/result.ts';
import { systemClock, systemIds, systemRandom } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { noClusterSettings } from '../../shared/kube/cluster-settings.ts';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import { formatRecord } from '../../shared/nodes/claims/attempt/annotation.ts';
import {
  annotations,
  conditionTypes,
  labels,
  terminationFinalizer,
} from '../../shared/nodes/claims/spec/well-known.ts';
import { rememberClaim } from '../../shared/nodes/node-objects/node-index.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import { type AwsConnection, clientOptions } from '../../shared/platforms/aws/client-options.ts';
import { servingOf } from '../../shared/providers/serving.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import { openSqliteQueue } from '../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../shared/queue/sqlite/schema.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { VirtualEngine } from '../../shared/workflow/virtual/engine.ts';
import { spotWarning } from '../../sim/aws/event-messages.ts';
import { lifecycleSettings } from '../../test/lifecycle-settings.ts';
import { endProcess } from './end-process.ts';
import { rememberProcess, removeDirectory, temporaryDirectory } from './leftovers.ts';

export interface InterruptionStage {
  readonly services: FunctionServices;
  readonly connection: AwsConnection;
  /** Claims with a machine each, as a launch leaves them; their machines' ids. */
  makeClaims(count: number): Promise<string[]>;
  /** A queue with one warning for each machine; its name. */
  fillQueue(name: string, instances: readonly string[]): Promise<string>;
  /** How many claims are being deleted. */
  marked(): Promise<number>;
  close(): Promise<void>;
}

const cluster = 'bench';
const width = 32;
const sure = <T>(answer: Result<T>): T => {
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
};

export async function interruptionStage(): Promise<InterruptionStage> {
  const [queue, api] = await Promise.all([standIn('queue'), standIn('cluster')]);
  const directory = temporaryDirectory('interruptions');
  const connection: AwsConnection = {
    region: 'us-east-1',
    endpoint: queue.url,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  };
  const client = connectCluster({
    name: cluster,
    url: api.url,
    clock: systemClock,
    log: silentLog,
    requestTimeoutMs: 30_000,
    fieldManager: 'poolwright',
    maxSockets: 128,
  });
  const services = servicesFor(client, directory);
  const sqs = new SQSClient({ ...clientOptions(connection), useQueueUrlAsEndpoint: false });
  return {
    services,
    connection,
    async makeClaims(count) {
      const instances = Array.from({ length: count }, (_, index) => `i-${String(index).padStart(17, '0')}`);
      await inParallel(instances, width, (instance) => makeClaim(services, client, instance));
      return instances;
    },
    async fillQueue(QueueName, instances) {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName }));
      const batches = Array.from({ length: Math.ceil(instances.length / 10) }, (_, index) => index * 10);
      await inParallel(batches, 8, async (start) => {
        const Entries = instances.slice(start, start + 10).map((instance, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(spotWarning({ id: instance, at: systemClock.now() }, instance)),
        }));
        await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      });
      return QueueName;
    },
    async marked() {
      let count = 0;
      let from: string | undefined;
      do {
        const page = sure(
          await client.list<StoredClaim>(nodeClaims, { limit: 500, ...(from ? { continue: from } : {}) }),
        );
        count += page.items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
        from = page.continue;
      } while (from !== undefined);
      return count;
    },
    async close() {
      client.close();
      sqs.destroy();
      await Promise.all([queue.end(), api.end()]);
      removeDirectory(directory);
    },
  };
}

async function standIn(what: 'queue' | 'cluster'): Promise<{ url: string; end(): Promise<void> }> {
  await installExtra('test/peers');
  const file = fileURLToPath(new URL('interruption-stand-in.ts', import.meta.url));
  const child = fork(file, [what], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  if (child.pid !== undefined) rememberProcess(child.pid);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (told: { url: string }) => resolve(told.url));
    child.once('exit', () => reject(new Error(`the stand-in for a ${what} has ended`)));
  });
  return { url, end: () => endProcess(child, 'SIGKILL') };
}

function servicesFor(api: ClusterApi, directory: string): FunctionServices {
  // Nothing is bought here: the provider only reads the ids out of providerIDs.
  const provider = createSimProvider({ url: 'http://127.0.0.1:9', clock: systemClock });
  const clusterServices: ClusterServices = {
    name: cluster,
    api,
    identity: async () => ({ ok: true, value: cluster }),
    providers: [provider],
    serving: (claim) => servingOf([{ provider, type: provider.name }], claim),
    preferredProviders: async () => ({ ok: true, value: [] }),
    paused: false,
    pausedProviders: new Set(),
    settings: noClusterSettings,
    garbageCollection: { graceSeconds: 60, maxDeletesPercent: 10, maxDeletesAtLeast: 5 },
  };
  const state = openStateDatabase({ file: join(directory, 'state.db') });
  const queues = openQueueDatabase({ file: ':memory:' });
  const options = { visibilitySeconds: 30, maxReceives: 5, maxBodyBytes: 65_536 };
  return {
    deployment: 'bench',
    clusters: [clusterServices],
    cluster: (name) => (name === cluster ? clusterServices : undefined),
    ownership: soleOwner,
    state: openSqliteState({ ...state, clock: systemClock }),
    events: openSqliteQueue({ ...queues, name: 'events', clock: systemClock, ids: systemIds, options }),
    workflows: new VirtualEngine({ workflows: [], activities: {} }),
    clock: systemClock,
    ids: systemIds,
    random: systemRandom,
    log: silentLog,
    metrics: createMetrics(),
    settings: lifecycleSettings(),
  };
}

const offering = { instanceType: 'general-small', zone: 'zone-a', capacityType: 'spot' } as const;

async function makeClaim(services: FunctionServices, api: ClusterApi, instance: string): Promise<void> {
  const name = `claim-${instance}`;
  const made = sure(
    await api.create<StoredClaim>(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name,
        finalizers: [terminationFinalizer],
        labels: {
          [labels.instanceType]: offering.instanceType,
          [labels.zone]: offering.zone,
          [labels.capacityType]: offering.capacityType,
        },
      },
      spec: {
        nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
        requirements: [],
        resources: { requests: { cpu: '1' } },
      },
    }),
  );
  const { uid } = made.metadata;
  const providerID = `sim:///${offering.zone}/${instance}`;
  const record = formatRecord({
    uid,
    attempt: 1,
    provider: 'sim',
    offering,
    state: 'open',
    rights: 1,
    holder: 'bench',
  });
  sure(await api.mergePatch(nodeClaims, { name }, { metadata: { annotations: { [annotations.attempt]: record } } }));
  const at = new Date(systemClock.now()).toISOString();
  const conditions = [conditionTypes.launched, conditionTypes.registered, conditionTypes.initialized].map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: at.replace(/\.\d+Z$/, 'Z'),
  }));
  const status = { providerID, nodeName: `node-${instance}`, conditions };
  sure(await api.mergePatch(nodeClaims, { name }, { status }, { subresource: 'status' }));
  await rememberClaim(services, { cluster, name, uid }, providerID, { ready: true });
}
