/** The kubelets of all VMs. */
import type { Clock } from '../../../shared/base/runtime.ts';
import { labels as labelKeys } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { CatalogType } from '../../cloud/catalog.ts';
import type { InstanceRecord } from '../../cloud/instance.ts';
import { Kubelets } from '../../cloud/kubelet.ts';
import { httpNodeApi, type KubeletAccess, type KubeletHook } from '../../cloud/node-api.ts';
import type { MachineIdentity } from '../../cloud/node-object.ts';
import type { Timeline } from '../../kit/timeline.ts';
import type { CloudStackSettings } from '../settings.ts';
import type { Vm } from './vm.ts';

interface RoomOptions {
  timeline: Timeline;
  settings: CloudStackSettings;
  clock: Clock;
  kubelet: KubeletHook | KubeletAccess | undefined;
  log: (message: string, fields: Record<string, unknown>) => void;
}

/** What a VM's kubelet tells of itself. */
interface Guest {
  vm: Vm;
  providerID: string | undefined;
}

export class MachineRoom {
  readonly #kubelets: Kubelets | undefined;
  readonly #guests = new WeakMap<InstanceRecord, Guest>();
  readonly #types = new Map<string, CatalogType>();

  constructor(options: RoomOptions) {
    const { kubelet, timeline, settings, clock, log } = options;
    if (kubelet === undefined) return;
    this.#kubelets = new Kubelets({
      api: 'clusterUrl' in kubelet ? httpNodeApi(kubelet) : kubelet,
      settings,
      types: this.#types,
      clock,
      identify: (record, type) => this.#identityOf(record, type),
      reached: async (record, stage) => {
        record.nodeStage = stage;
      },
      lookAgainAt: (record, at) => timeline.plan(at, () => this.#kubelets?.look(record)),
      log,
    });
  }

  /** Before its first look. */
  admit(vm: Vm, type: CatalogType, providerID: string | undefined): void {
    this.#types.set(type.name, type);
    this.#guests.set(vm.record, { vm, providerID });
  }

  look(vm: Vm): void {
    this.#kubelets?.look(vm.record);
  }

  async idle(): Promise<void> {
    await this.#kubelets?.idle();
  }

  close(): void {
    this.#kubelets?.close();
  }

  /** No cloud controller adds labels here: what the Node has it was told, or knows by itself. */
  #identityOf(record: InstanceRecord, type: CatalogType): MachineIdentity {
    const guest = this.#guests.get(record);
    if (guest === undefined) throw new Error(`no VM has the machine ${record.id}`);
    return {
      providerID: guest.providerID,
      labels: { [labelKeys.arch]: type.arch, [labelKeys.os]: 'linux' },
    };
  }
}
