/** The clusters that exist in the simulated Azure: each an API server of its own on loopback, with data that survives a restart. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../shared/base/runtime.ts';
import { type ClusterApi, kubeconfigFor, type SeenRequest, startClusterApi } from '../../cluster/server.ts';
import { type AzureResource, keyOf } from '../azure/resource.ts';
import type { AzureWorld } from '../azure/world.ts';
import { nodeClassDefinition } from './auto-provisioning.ts';

export interface NewCluster {
  /** The ARM id. */
  id: string;
  server: ClusterApi;
}

export interface NewClustersParts {
  azure: AzureWorld;
  /** Without one, clusters are in memory. */
  directory: string | undefined;
  clock: Clock;
  /** Something may have to be done there. */
  changed: (id: string) => void;
  /** Each request to one of them. */
  onRequest?: ((request: SeenRequest) => void) | undefined;
}

export class NewClusters {
  readonly #parts: NewClustersParts;
  readonly #running = new Map<string, NewCluster>();
  readonly #starting = new Map<string, Promise<NewCluster>>();

  constructor(parts: NewClustersParts) {
    this.#parts = parts;
  }

  get(id: string): NewCluster | undefined {
    return this.#running.get(keyOf(id));
  }

  all(): NewCluster[] {
    return [...this.#running.values()];
  }

  kubeconfig(id: string): string | undefined {
    const running = this.get(id);
    return running === undefined ? undefined : kubeconfigFor(running.server.url);
  }

  /** Safe to repeat. */
  async ensure(resource: AzureResource): Promise<NewCluster> {
    const key = keyOf(resource.id);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const starting = this.#starting.get(key) ?? this.#start(resource);
    this.#starting.set(key, starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(key);
    }
  }

  /** Those that an earlier life has left. */
  async startAll(): Promise<void> {
    for (const one of this.#parts.azure.living()) {
      const isCluster = one.type === 'Microsoft.ContainerService/managedClusters';
      if (isCluster && Object.keys(one.facts).length > 0) await this.ensure(one);
    }
  }

  /** Ends those whose cluster has gone, with all that was in them. */
  async reap(): Promise<void> {
    for (const [key, { id, server }] of [...this.#running]) {
      if (this.#parts.azure.get(id) !== undefined) continue;
      this.#running.delete(key);
      await server.close();
      const file = this.#fileOf(id);
      if (file !== ':memory:') for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#starting.values());
    for (const { server } of this.#running.values()) await server.close();
    this.#running.clear();
  }

  async #start(resource: AzureResource): Promise<NewCluster> {
    const { azure, clock, changed, onRequest } = this.#parts;
    const { id, port } = resource;
    const open = (wanted: number) =>
      startClusterApi({ file: this.#fileOf(id), port: wanted, clock, withDefinitions: false, onRequest });
    // The same port as before: kubeconfigs go on working. If somebody else has it now, the export is written anew.
    const server = await open(port ?? 0).catch((error: unknown) => {
      if (port === undefined) throw error;
      return open(0);
    });
    azure.setPort(id, server.port);
    const cluster = { id: resource.id, server };
    this.#running.set(keyOf(id), cluster);
    for (const storage of ['nodepools.karpenter.sh', nodeClassDefinition]) {
      server.store.objects.hub.add({
        storage,
        tell: () => {},
        flush: () => changed(id),
        bookmark: () => {},
        end: () => {},
      });
    }
    changed(id);
    return cluster;
  }

  #fileOf(id: string): string {
    const { directory } = this.#parts;
    if (directory === undefined) return ':memory:';
    const folder = join(directory, 'new-clusters');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${createHash('sha256').update(keyOf(id)).digest('hex').slice(0, 16)}.db`);
  }
}
