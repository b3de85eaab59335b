/**
 * Providers on a real API server: the reconciler runs with the rights of the list, a stand-in for the kubelet says that pods are ready, and a real
 * provider server runs with what the pods would have mounted.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certifier, openProvider } from '../../functions/hosts/common/machines/machine-providers.ts';
import { type ProviderHost, startProviderHost } from '../../functions/hosts/provider/host.ts';
import { isObject } from '../../shared/base/json.ts';
import { seededRandom, systemClock } from '../../shared/base/runtime.ts';
import { systemTimers } from '../../shared/base/timers.ts';
import { deadlineSeconds } from '../../shared/drivers/grpc/deadlines.ts';
import { mockDriver } from '../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../shared/drivers/mock/options.ts';
import {
  type ClusterApi,
  deployments,
  type KubeObject,
  pods,
  type Resource,
  secrets,
} from '../../shared/kube/contract.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import type { ProviderSpec } from '../../shared/machines/api/provider.ts';
import { lookAfterProviders } from '../../shared/machines/runtime/look-after.ts';
import type { ProviderObject } from '../../shared/machines/runtime/object.ts';
import { emptyMemory, type ProviderServices } from '../../shared/machines/runtime/services.ts';
import { type CollectedLine, collectingLog } from '../../shared/observe/log/log.ts';
import type { KubeCluster, KubeManifest } from '../kube/cluster.ts';

export interface ProviderWorld {
  readonly admin: ClusterApi;
  readonly lines: CollectedLine[];
  /** Milliseconds since the epoch. */
  now: number;
  round(): Promise<void>;
  apply(name: string, spec: Partial<ProviderSpec>, metadata?: object): Promise<void>;
  get(name: string): Promise<ProviderObject>;
  find<T extends KubeObject>(resource: Resource, name: string): Promise<T | undefined>;
  /** `Ready=True Ready`. */
  condition(name: string, type: string): Promise<string>;
  /** What a kubelet would do: mount the Secrets, start the image, say that it is ready. Calls to the Provider go to this process. */
  startPods(name: string, runtime?: string): Promise<ProviderHost>;
  /** A pod that does not start, as a kubelet leaves it; answers its uid. */
  addPod(name: string): Promise<string>;
  /** Says that so many pods are ready, whatever runs. */
  setReady(runtime: string, ready: number): Promise<void>;
  /** Sends calls for a Service to an address. */
  route(runtime: string, address: string): void;
  close(): Promise<void>;
}

export async function providerWorld(kube: KubeCluster, namespace: string, api: ClusterApi): Promise<ProviderWorld> {
  const admin = kube.connect();
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-providers-'));
  const routes = new Map<string, string>();
  const hosts: ProviderHost[] = [];
  const log = collectingLog();
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const world: ProviderWorld = {
    admin,
    lines: log.lines,
    now: Date.now(),
    round: () =>
      lookAfterProviders(services, { name: 'test', api, namespace: 'poolwright' }, new AbortController().signal),
    apply: (name, spec, metadata = {}) =>
      kube.apply({
        apiVersion: 'infra.virtrigaud.io/v1beta1',
        kind: 'Provider',
        metadata: { name, namespace, ...metadata },
        spec: { ...aProvider, ...spec },
      } as KubeManifest),
    get: async (name) => must(await admin.get<ProviderObject>(machineKinds.provider, { name, namespace })),
    find: async <T extends KubeObject>(resource: Resource, name: string) => {
      const found = await admin.get<T>(resource, { name, namespace });
      return found.ok ? found.value : undefined;
    },
    condition: async (name, type) => {
      const one = (await world.get(name)).status?.conditions?.find((condition) => condition.type === type);
      return `${one?.status} ${one?.reason}`;
    },
    startPods: async (name, runtime = `virtrigaud-provider-${name}`) => {
      const deployment = await world.find<Deployed>(deployments, runtime);
      const pod = deployment?.spec.template.spec;
      const secret = pod?.volumes.find((one) => one.name === 'tls')?.secret?.secretName;
      const directory = join(folder, `${runtime}-${hosts.length}`);
      mkdirSync(directory);
      if (secret !== undefined) await mount(secret, directory);
      const env = new Map(pod?.containers[0]?.env.map((one) => [one.name, one.value ?? '']));
      const started = await startProviderHost({
        driver: mockDriver(
          { ...mockDefaults, taskTime: 0 },
          { clock: systemClock, timers: systemTimers, random: seededRandom(1) },
        ),
        name: 'test',
        endpoint: env.get('PROVIDER_ENDPOINT') ?? '',
        host: '127.0.0.1',
        port: 0,
        healthPort: 0,
        tls: secret === undefined ? { kind: 'plain' } : { kind: 'mutual', directory },
        allowedNames: (env.get('VIRTRIGAUD_PROVIDER_ALLOWED_SANS') ?? '').split(',').filter(Boolean),
        rate: { qps: 1000, burst: 1000 },
        secondsOf: (call) => deadlineSeconds[call],
        healthSeconds: 30,
        clock: systemClock,
        timers: systemTimers,
        log,
      });
      if (!started.ok) throw new Error(started.error.message);
      hosts.push(started.value);
      world.route(runtime, `127.0.0.1:${started.value.port}`);
      await world.setReady(runtime, deployment?.spec.replicas ?? 1);
      return started.value;
    },
    addPod: async (name) => {
      const runtime = `virtrigaud-provider-${name}`;
      const deployment = await world.find<Deployed>(deployments, runtime);
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${name}-1`, namespace, labels: deployment?.spec.template.metadata.labels ?? {} },
        spec: {
          containers: [{ name: 'provider', image: 'x' }],
          serviceAccountName: runtime,
          automountServiceAccountToken: false,
        },
      };
      return must(await admin.create<KubeObject>(pods, pod)).metadata.uid;
    },
    setReady: async (name, ready) => {
      const deployment = await world.find<Deployed>(deployments, name);
      const status = {
        observedGeneration: deployment?.metadata.generation ?? 1,
        replicas: deployment?.spec.replicas ?? 1,
        updatedReplicas: ready,
        readyReplicas: ready,
        availableReplicas: ready,
      };
      must(await admin.mergePatch(deployments, { name, namespace }, { status }, { subresource: 'status' }));
    },
    route: (runtime, address) => void routes.set(`${runtime}.${namespace}.svc`, address),
    close: async () => {
      for (const host of hosts) await host.stop(1);
      admin.close();
      rmSync(folder, { recursive: true });
    },
  };
  const clock = { ...systemClock, now: () => world.now };
  const services: ProviderServices = {
    clock,
    log,
    certifier,
    memory: emptyMemory(),
    open: ({ address, serverName, tls }) =>
      openProvider({
        address: routes.get(address.replace(/:\d+$/, '')) ?? '127.0.0.1:9',
        serverName,
        ...(tls ? { tls } : {}),
      }),
  };

  async function mount(name: string, directory: string): Promise<void> {
    const found = must(await admin.get<KubeObject & { data?: Record<string, string> }>(secrets, { name, namespace }));
    for (const [file, text] of Object.entries(found.data ?? {})) {
      writeFileSync(join(directory, file), Buffer.from(text, 'base64'));
    }
  }
  return world;
}

export interface Deployed extends KubeObject {
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string>; annotations: Record<string, string> };
      spec: {
        volumes: { name: string; secret?: { secretName: string } }[];
        containers: {
          image: string;
          args: string[];
          env: { name: string; value?: string }[];
          volumeMounts: { name: string; mountPath: string }[];
          [field: string]: unknown;
        }[];
        [field: string]: unknown;
      };
    };
  };
}

const aProvider = {
  type: 'vsphere',
  endpoint: 'https://vcenter.example.com',
  credentialSecretRef: { name: 'credentials' },
  runtime: { image: 'registry.example.com/provider:1', service: { port: 9090 } },
} as const satisfies ProviderSpec;

function must<T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

export const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** What the cases about Providers are given: a cluster with the definitions, the reconciler, and its account. */
export interface Scene {
  kube: KubeCluster;
  world: ProviderWorld;
  api: ClusterApi;
}
