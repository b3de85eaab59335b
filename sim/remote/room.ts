/**
 * The insides of the machines that `poolwright provider --type mock` keeps in a file: each that is on joins the cluster as its user data says.
 * The file may belong to another process, which may be killed at any moment; so it is looked at again and again.
 */
import type { Clock } from '../../shared/base/runtime.ts';
import type { MockStore, PastMachine, StoredMachine } from '../../shared/drivers/mock/store.ts';
import { labels as labelKeys, tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { CatalogType } from '../cloud/catalog.ts';
import type { InstanceRecord, LedgerEntry } from '../cloud/instance.ts';
import { type KubeletSettings, Kubelets } from '../cloud/kubelet.ts';
import { httpNodeApi, type KubeletAccess } from '../cloud/node-api.ts';
import { guestNodeOf } from '../cloudstack/guest/node-request.ts';
import type { Timeline } from '../kit/timeline.ts';

export type RoomSettings = KubeletSettings & {
  registerSeconds: number | null;
  readySeconds: number | null;
};

interface RoomOptions {
  store: MockStore;
  settings: RoomSettings;
  timeline: Timeline;
  clock: Clock;
  kubelet: KubeletAccess;
  lookMs: number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

interface Guest {
  record: InstanceRecord;
  providerID: string | undefined;
}

export class MockRoom {
  readonly #options: RoomOptions;
  readonly #kubelets: Kubelets;
  readonly #types = new Map<string, CatalogType>();
  /** By the id of the machine. */
  readonly #guests = new Map<string, Guest>();
  readonly #byRecord = new WeakMap<InstanceRecord, Guest>();

  constructor(options: RoomOptions) {
    this.#options = options;
    const { kubelet, settings, clock, timeline, log } = options;
    this.#kubelets = new Kubelets({
      api: httpNodeApi(kubelet),
      settings,
      types: this.#types,
      clock,
      identify: (record, type) => ({
        providerID: this.#byRecord.get(record)?.providerID,
        labels: { [labelKeys.arch]: type.arch, [labelKeys.os]: 'linux' },
      }),
      reached: async (record, stage) => {
        record.nodeStage = stage;
      },
      lookAgainAt: (record, at) => timeline.plan(at, () => this.#kubelets.look(record)),
      log,
    });
    this.#lookLater(0);
  }

  idle(): Promise<void> {
    return this.#kubelets.idle();
  }

  close(): void {
    this.#kubelets.close();
  }

  #lookLater(milliseconds: number): void {
    const { timeline, clock, lookMs, log } = this.#options;
    timeline.plan(clock.now() + milliseconds, () => {
      try {
        this.#look();
      } catch (error) {
        log('the machines of the mock could not be read', { error });
      }
      this.#lookLater(lookMs);
    });
  }

  #look(): void {
    const { store, clock } = this.#options;
    const machines = new Map(store.transaction(() => store.all()).map((machine) => [machine.id, machine]));
    for (const machine of machines.values()) {
      if (machine.power === 'On' && !this.#guests.has(machine.id)) this.#boot(machine);
    }
    for (const [id, { record }] of this.#guests) {
      if (machines.get(id)?.power === 'On') continue;
      record.goneAt = clock.now();
      record.whyGone = 'deleted';
      this.#guests.delete(id);
      this.#kubelets.look(record);
    }
  }

  #boot({ id, name, spec, address = '' }: StoredMachine): void {
    const { clock, settings } = this.#options;
    const type: CatalogType = {
      name: `mock-${spec.class.cpu}-${spec.class.memoryMiB}`,
      arch: 'amd64',
      cpu: spec.class.cpu,
      memoryGi: spec.class.memoryMiB / 1024,
      gpus: Number(spec.class.extraConfig?.gpus ?? 0),
      price: null,
      spot: false,
      zones: [],
    };
    const userData = Buffer.from(spec.userData ?? '').toString('base64');
    const node = guestNodeOf(userData, { vmId: id, name, zone: '', offering: type.name, ip: address });
    const now = clock.now();
    const { registerSeconds, readySeconds } = settings;
    const record: InstanceRecord = {
      seq: 0,
      id: node?.name ?? name,
      request: {
        name,
        instanceType: type.name,
        zone: '',
        capacityType: 'on-demand',
        tags: {},
        labels: node?.labels ?? {},
        taints: node?.taints ?? [],
      },
      price: null,
      plan: {
        runningAt: now,
        registerSeconds: node === undefined ? null : registerSeconds,
        readySeconds,
        gpuSeconds: 0,
        startupTaintSeconds: 0,
        vanishAt: null,
        noticeAt: null,
        noticed: false,
        interruptAt: null,
      },
      createdAt: now,
      runningAt: now,
      deletingAt: null,
      deleteDueAt: null,
      goneAt: null,
      whyGone: null,
      nodeStage: 'none',
    };
    const guest = { record, providerID: node?.providerID };
    this.#types.set(type.name, type);
    this.#guests.set(id, guest);
    this.#byRecord.set(record, guest);
    this.#kubelets.look(record);
  }
}

/** One line of the ledger. */
export function ledgerEntry({ seq, name, tags, madeAt, goneAt }: PastMachine): LedgerEntry {
  const said = new Map(tags.map((tag) => tag.split(/=(.*)/s) as [string, string]));
  const attempt = said.get(tagKeys.attempt);
  return {
    seq,
    // The name is what a providerID has.
    id: name,
    name,
    token: null,
    tags: Object.fromEntries(said),
    claimUid: said.get(tagKeys.claimUid) ?? null,
    attempt: attempt === undefined ? null : Number(attempt),
    instanceType: '',
    zone: '',
    capacityType: 'on-demand',
    price: null,
    createdAt: madeAt,
    runningAt: null,
    deletingAt: null,
    goneAt,
    whyGone: goneAt === null ? null : 'deleted',
  };
}
