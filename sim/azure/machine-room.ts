/** The kubelets of all pools' machines, one set for each cluster that they join. */
import type { Clock } from '../../shared/base/runtime.ts';
import type { CatalogType } from '../cloud/catalog.ts';
import type { InstanceRecord } from '../cloud/instance.ts';
import { Kubelets } from '../cloud/kubelet.ts';
import { asNode, httpNodeApi, type KubeletAccess, type KubeletHook } from '../cloud/node-api.ts';
import type { AzureCluster } from './clusters.ts';
import { identityOf } from './machines.ts';
import type { AzureSettings } from './settings.ts';
import type { AzureWorld } from './world.ts';

interface RoomOptions {
  world: AzureWorld;
  clusters: readonly AzureCluster[];
  settings: AzureSettings;
  types: ReadonlyMap<string, CatalogType>;
  clock: Clock;
  /** For clusters that name none of their own. */
  kubelet: KubeletHook | KubeletAccess | undefined;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export class MachineRoom {
  readonly #options: RoomOptions;
  readonly #kubelets = new Map<AzureCluster, Kubelets>();
  readonly #all: readonly Kubelets[];
  readonly #apis = new Map<AzureCluster, KubeletHook>();
  readonly #announcing = new Set<Promise<void>>();

  constructor(options: RoomOptions) {
    this.#options = options;
    const byAccess = new Map<KubeletHook | KubeletAccess, { api: KubeletHook; kubelets: Kubelets }>();
    for (const cluster of options.clusters) {
      const access = cluster.kubelet ?? options.kubelet;
      if (access === undefined) continue;
      const joined = byAccess.get(access) ?? this.#open('clusterUrl' in access ? httpNodeApi(access) : access);
      byAccess.set(access, joined);
      this.#kubelets.set(cluster, joined.kubelets);
      this.#apis.set(cluster, joined.api);
    }
    this.#all = [...byAccess.values()].map(({ kubelets }) => kubelets);
  }

  look(record: InstanceRecord): void {
    const { world } = this.#options;
    const pool = world.poolOf(record);
    if (pool === undefined) return;
    const before = world.predecessorOf(record);
    if (before !== undefined && !this.#finished(before)) return;
    this.#kubelets.get(pool.cluster)?.look(record);
  }

  /** The machine has heard that it will be taken back, and says so on its Node. Nobody says it twice. */
  announce(record: InstanceRecord): void {
    const pool = this.#options.world.poolOf(record);
    const api = pool === undefined ? undefined : this.#apis.get(pool.cluster);
    if (api === undefined) return;
    const said = this.#sayPreempted(api, record.id)
      .catch((error: unknown) => this.#options.log('a simulated machine could not report its eviction', { error }))
      .finally(() => this.#announcing.delete(said));
    this.#announcing.add(said);
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#announcing, ...this.#all.map((kubelets) => kubelets.idle())]);
  }

  close(): void {
    for (const kubelets of this.#all) kubelets.close();
  }

  /** Where no controller takes Nodes away, nobody has to wait for it. */
  #finished({ nodeStage, goneAt }: InstanceRecord): boolean {
    return goneAt !== null && (nodeStage === 'ended' || this.#options.settings.cloudControllerSeconds === null);
  }

  async #sayPreempted(api: KubeletHook, name: string): Promise<void> {
    const found = await api.getNode(name);
    if (found.answer !== 'ok') return;
    const { conditions = [] } = asNode(found.object)?.status ?? {};
    const time = new Date(this.#options.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const notice = {
      type: 'PreemptionScheduled',
      status: 'True',
      reason: 'SpotPreemption',
      message: 'the spot VM will be reclaimed',
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    };
    const kept = conditions.filter(({ type }) => type !== notice.type).map((condition) => ({ ...condition }));
    await api.patchNode(name, { status: { conditions: [...kept, notice] } }, 'status');
  }

  #open(api: KubeletHook): { api: KubeletHook; kubelets: Kubelets } {
    const { world, settings, types, clock, log } = this.#options;
    const kubelets = new Kubelets({
      api,
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
    return { api, kubelets };
  }
}
