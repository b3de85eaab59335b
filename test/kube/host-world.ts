/** The product as a whole on a real cluster: the local host, and a simulated cloud whose machines join that cluster. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openDataDirectory } from '../../functions/hosts/local/data-directory.ts';
import { type LocalHost, startLocalHost } from '../../functions/hosts/local/host.ts';
import type { Json } from '../../shared/base/json.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodes, type Resource } from '../../shared/kube/contract.ts';
import type { Node } from '../../shared/nodes/claims/spec/types.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { type SimCloud, type SimCloudOptions, startSimCloud } from '../../sim/cloud/start.ts';
import { productAccount } from './accounts.ts';
import type { KubeCluster } from './cluster.ts';
import { freshName } from './use-kube.ts';

export interface HostWorldOptions {
  /** Merged over the configuration of the one cluster, which is called `kube`. */
  cluster?: { [key: string]: unknown };
  /** Merged over the whole configuration. */
  config?: { [key: string]: unknown };
  cloud?: SimCloudOptions;
  /** As the configuration has it when absent. */
  leaseSeconds?: number;
  /** To meet another installation there. */
  leaseName?: string;
}

export interface HostWorld {
  readonly kube: KubeCluster;
  /** As the administrator. */
  readonly api: ClusterApi;
  /** The Lease of this installation alone. */
  readonly leaseName: string;
  readonly cloud: SimCloud;
  readonly log: ReturnType<typeof collectingLog>;
  /** Starts the host, again after a stop; with the same data. */
  startHost(): Promise<LocalHost>;
  createClaim(name: string, spec?: { [key: string]: Json }, metadata?: { [key: string]: Json }): Promise<StoredClaim>;
  claim(name: string): Promise<StoredClaim | undefined>;
  nodes(): Promise<(Node & KubeObject)[]>;
  /** Looks until it is so; after too long it fails with what the host said last. */
  until(what: () => Promise<boolean> | boolean): Promise<void>;
}

const lookMs = 30;
const giveUpMs = 40_000;

export const simNodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};

/** Everything is closed when the test ends. The node class `default` is there. */
export async function startHostWorld(kube: KubeCluster, options: HostWorldOptions = {}): Promise<HostWorld> {
  const { url, ca, token, cert, key } = kube.access;
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-kube-host-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const cloud = await startSimCloud({
    bootSeconds: 0.1,
    readySeconds: 0.1,
    deleteSeconds: 0.1,
    ...options.cloud,
    kubelet: { clusterUrl: url, ...given({ ca, token, cert, key }) },
  });
  onTestFinished(() => cloud.close());
  const api = kube.connect();
  onTestFinished(() => api.close());
  await kube.apply({
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'SimNodeClass',
    metadata: { name: 'default' },
    spec: {},
  });

  const file = join(directory, 'poolwright.json');
  // The Lease of the test before would keep this installation from acting for minutes.
  const lease = { namespace: 'kube-system', name: options.leaseName ?? freshName('poolwright') };
  const account = await productAccount(kube, 'provisioner', directory, { lease });
  const settings = {
    clusters: {
      kube: {
        // Never as the administrator: a right that is missing has to fail the tests.
        kubeconfig: account.kubeconfig,
        resyncSeconds: 1,
        garbageCollection: { everySeconds: 1, graceSeconds: 1 },
        lease: { ...lease, ...given({ seconds: options.leaseSeconds }) },
        ...options.cluster,
      },
    },
    providers: { sim: { type: 'sim', url: cloud.url, writeSeconds: 3 } },
    http: { port: 0 },
    ...options.config,
  };
  writeFileSync(file, JSON.stringify(settings));
  const log = collectingLog();

  const claim = async (name: string): Promise<StoredClaim | undefined> => {
    const got = await api.get<StoredClaim>(nodeClaims, { name });
    if (got.ok) return got.value;
    if (got.error.kind === 'not-found') return undefined;
    throw new Error(got.error.message);
  };

  return {
    kube,
    api,
    leaseName: lease.name,
    cloud,
    log,
    claim,
    startHost: async () => {
      const loaded = loadConfig(file, {}, {});
      if (!loaded.ok) throw new Error(loaded.text);
      const data = openDataDirectory(join(directory, 'data'));
      const host = await startLocalHost({ config: loaded.config, directory: data, log, version: 'test' });
      if (!host.ok) throw new Error(host.error.message);
      let stopped: Promise<void> | undefined;
      const stop = (): Promise<void> => {
        // By the test itself, and at its end once more.
        stopped ??= host.value.stop().then(() => data.release());
        return stopped;
      };
      onTestFinished(stop);
      return { ...host.value, stop };
    },
    createClaim: async (name, spec = {}, metadata = {}) => {
      const made = await api.create<StoredClaim>(nodeClaims, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: { name, ...metadata },
        spec: {
          nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
          requirements: [],
          resources: { requests: { cpu: '1' } },
          ...spec,
        },
      });
      if (!made.ok) throw new Error(made.error.message);
      return made.value;
    },
    nodes: async () => {
      const listed = await api.list<Node & KubeObject>(nodes);
      if (!listed.ok) throw new Error(listed.error.message);
      return listed.value.items;
    },
    until: async (what) => {
      const end = Date.now() + giveUpMs;
      while (!(await what())) {
        if (Date.now() > end) throw new Error(`It did not come to pass. The host said last:\n${lastWords(log)}`);
        await pause(lookMs);
      }
    },
  };
}

const lastWords = (log: HostWorld['log']): string =>
  log.lines
    .slice(-25)
    .map((line) => JSON.stringify(line))
    .join('\n');

const given = <T extends object>(fields: T): { [key in keyof T]?: Exclude<T[key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [key in keyof T]?: Exclude<T[key], undefined>;
  };

export const isTrue = (object: { status?: unknown } | undefined, type: string): boolean => {
  const status = object?.status as { conditions?: { type: string; status: string }[] } | undefined;
  return status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
};
