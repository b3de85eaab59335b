/** The kubelets of all pools' machines, one set for each cluster that they join. */
import type { Clock } from '../../shared/runtime.ts';
import type { CatalogueType } from '../cloud/catalogue.ts';
import type { InstanceRecord } from '../cloud/instance.ts';
import { Kubelets } from '../cloud/kubelet.ts';
import { httpNodeApi, type KubeletAccess, type KubeletHook } from '../cloud/node-api.ts';
import type { AzureCluster } from './clusters.ts';
import { identityOf } from './machines.ts';
import type { AzureSettings } from './settings.ts';
import type { AzureWorld } from './world.ts';

interface RoomOptions {
  world: AzureWorld;
  clusters: readonly AzureCluster[];
  settings: AzureSettings;
  types: ReadonlyMap<string, CatalogueType>;
  clock: Clock;
  /** For clusters that name none of their own. */
  kubelet: KubeletHook | KubeletAccess | undefined;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export class MachineRoom {
  readonly #options: RoomOptions;
  readonly #kubelets = new Map<AzureCluster, Kubelets>();
  readonly #all: readonly Kubelets[];

  constructor(options: RoomOptions) {
    this.#options = options;
    const byAccess = new Map<KubeletHook | KubeletAccess, Kubelets>();
    for (const cluster of options.clusters) {
      const access = cluster.kubelet ?? options.kubelet;
      if (access === undefined) continue;
      const kubelets = byAccess.get(access) ?? this.#open(access);
      byAccess.set(access, kubelets);
      this.#kubelets.set(cluster, kubelets);
    }
    this.#all = [...byAccess.values()];
  }

  look(record: InstanceRecord): void {
    const { world } = this.#options;
    const pool = world.poolOf(record);
    if (pool === undefined) return;
    const before = world.predecessorOf(record);
    if (before !== undefined && !this.#finished(before)) return;
    this.#kubelets.get(pool.cluster)?.look(record);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#all.map((kubelets) => kubelets.idle()));
  }

  close(): void {
    for (const kubelets of this.#all) kubelets.close();
  }

  /** Where no controller takes Nodes away, nobody has to wait for it. */
  #finished({ nodeStage, goneAt }: InstanceRecord): boolean {
    return goneAt !== null && (nodeStage === 'ended' || this.#options.settings.cloudControllerSeconds === null);
  }

  #open(access: KubeletHook | KubeletAccess): Kubelets {
    const { world, settings, types, clock, log } = this.#options;
    return new Kubelets({
      api: 'clusterUrl' in access ? httpNodeApi(access) : access,
      settings,
      types,
      clock,
      identify: (record, type) => {
        const pool = world.poolOf(record);
        if (pool === undefined) throw new Error(`no pool has the machine ${record.id}`);
        return identityOf(pool, record, type);
      },
      reached: async (record, stage) => {
        record.nodeStage = stage;
        const next = stage === 'ended' ? world.successorOf(record) : undefined;
        if (next !== undefined) this.look(next);
      },
      lookAgainAt: (record, at) => world.plan(at, () => this.look(record)),
      log,
    });
  }
}
