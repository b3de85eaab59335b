/**
 * The agent pools of all clusters, without HTTP and without faults of the wire: they are made, changed and deleted by
 * operations that take their time, and their machines come and go. All of it is in memory: whoever wants to know what a
 * client does after a crash kills the client, not Azure.
 */
import type { Clock, Ids } from '../../shared/base/runtime.ts';
import type { InstanceRecord } from '../cloud/instance.ts';
import type { MachineFault } from '../kit/faults.ts';
import type { Timeline } from '../kit/timeline.ts';
import type { JsonObject, Problem } from './answer.ts';
import type { AzureCluster } from './clusters.ts';
import { machineOf } from './machines.ts';
import { type Operation, type OperationKind, Operations } from './operations.ts';
import { type Pool, type PoolRequest, type ProvisioningState, stateAt } from './pool.ts';
import { arcOperationInProgress, clusterOperationInProgress, poolOperationInProgress } from './refusals.ts';
import type { AzureSettings } from './settings.ts';

export type WriteOutcome =
  | { result: 'begun'; created: boolean; pool: Pool; operation: Operation }
  | { result: 'busy'; cluster: AzureCluster; problem: Problem };

interface WorldOptions {
  settings: AzureSettings;
  clock: Clock;
  timeline: Timeline;
  ids: Ids;
  /** Per hour; null when nobody knows. */
  priceOf: (request: PoolRequest) => number | null;
  /** Called whenever a machine's kubelet may have something to do. */
  onNodeDue: (record: InstanceRecord) => void;
  /** Called when a machine hears that it will be taken back. */
  onPreemption: (record: InstanceRecord) => void;
}

export class AzureWorld {
  readonly operations: Operations;
  readonly #options: WorldOptions;
  readonly #timeline: Timeline;
  /** Everything that ever was, oldest first. */
  readonly #ledger: Pool[] = [];
  /** By the pool's id in small letters, as ARM compares names. */
  readonly #living = new Map<string, Pool>();
  readonly #poolOf = new WeakMap<InstanceRecord, Pool>();
  /** The last machine that had a Node's name. */
  readonly #byNodeName = new Map<string, InstanceRecord>();
  readonly #successors = new WeakMap<InstanceRecord, InstanceRecord>();
  readonly #predecessors = new WeakMap<InstanceRecord, InstanceRecord>();

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#timeline = options.timeline;
    const { clock, ids, settings } = options;
    this.operations = new Operations({ clock, ids, keptSeconds: settings.operationKeptSeconds });
  }

  get ledger(): readonly Pool[] {
    return this.#ledger;
  }

  get pools(): Iterable<Pool> {
    return this.#living.values();
  }

  get living(): number {
    return this.#living.size;
  }

  /** While something happens, the time for which it was planned: it may be looked at much later. */
  get now(): number {
    return this.#timeline.now;
  }

  /** Lets everything happen that is due by now. Whoever looks at a pool calls this first. */
  settle(): void {
    this.#timeline.settle();
  }

  find(cluster: AzureCluster, name: string): Pool | undefined {
    return this.#living.get(keyOf(cluster, name));
  }

  /** Those that a list shows, as they were `lagSeconds` ago. */
  list(cluster: AzureCluster, lagSeconds: number): { pool: Pool; state: ProvisioningState }[] {
    if (lagSeconds === 0) {
      return [...this.#living.values()]
        .filter((pool) => pool.cluster === cluster)
        .map((pool) => ({ pool, state: pool.state }));
    }
    const at = this.now - lagSeconds * 1000;
    return this.#ledger
      .filter((pool) => pool.cluster === cluster && pool.createdAt <= at && (pool.goneAt === null || pool.goneAt > at))
      .map((pool) => ({ pool, state: stateAt(pool, at) }));
  }

  poolOf(record: InstanceRecord): Pool | undefined {
    return this.#poolOf.get(record);
  }

  /** Makes the pool, or changes it when it is there. */
  put(cluster: AzureCluster, name: string, request: PoolRequest, faults: readonly MachineFault[]): WriteOutcome {
    const busy = this.#busy(cluster, undefined);
    if (busy !== undefined) return { result: 'busy', cluster, problem: busy };
    const existing = this.find(cluster, name);
    return existing === undefined
      ? this.#create(cluster, name, request, faults)
      : this.#update(existing, request, faults);
  }

  delete(pool: Pool, faults: readonly MachineFault[]): WriteOutcome {
    const { settings } = this.#options;
    const own = this.operations.of(pool);
    if (own?.kind === 'delete') {
      return settings.deleteDuringDelete === 'accepted'
        ? { result: 'begun', created: false, pool, operation: own }
        : { result: 'busy', cluster: pool.cluster, problem: inProgress(own) };
    }
    const cancels = own?.kind === 'create' && settings.deleteDuringCreate === 'cancels' ? own : undefined;
    // One pool never has two operations, however many the cluster may have.
    const busy = own !== undefined && cancels === undefined ? inProgress(own) : this.#busy(pool.cluster, cancels);
    if (busy !== undefined) return { result: 'busy', cluster: pool.cluster, problem: busy };
    const now = this.now;
    if (cancels !== undefined) {
      const problem = {
        code: 'OperationPreempted',
        message: `The operation was preempted by a delete of the agent pool ${pool.name}.`,
      };
      this.operations.end(cancels, 'Canceled', now, problem);
    }
    pool.deletingAt = now;
    for (const machine of pool.machines) machine.deletingAt ??= now;
    this.#enter(pool, 'Deleting', now);
    const operation = this.#begin('delete', pool, settings.deleteSeconds, faults, (at) => this.#end(pool, at));
    return { result: 'begun', created: false, pool, operation };
  }

  /** Something that nobody of us has begun. It ends after so many seconds, or when it is told to. */
  beginForeign(cluster: AzureCluster, what: string, seconds: number | null, pool?: Pool): Operation {
    const now = this.now;
    const dueAt = seconds === null ? null : now + Math.round(seconds * 1000);
    const operation = this.operations.begin({ cluster, kind: 'foreign', pool, what, startedAt: now, dueAt });
    if (dueAt !== null) this.plan(dueAt, (at) => this.endForeign(operation, at));
    return operation;
  }

  endForeign(operation: Operation, at = this.now): void {
    if (operation.status === 'InProgress') this.operations.end(operation, 'Succeeded', at);
  }

  /** An operation that changes nothing, and brings something. It is in nobody's way. */
  beginOutput(cluster: AzureCluster, output: JsonObject): Operation {
    const now = this.now;
    const what = 'list credentials';
    const operation = this.operations.begin({
      cluster,
      kind: 'foreign',
      pool: undefined,
      what,
      startedAt: now,
      dueAt: now,
    });
    this.operations.end(operation, 'Succeeded', now);
    operation.output = output;
    return operation;
  }

  /** A pool that is simply there, whoever made it, with its machines. */
  adopt(cluster: AzureCluster, name: string, request: PoolRequest): Pool {
    const pool = this.#newPool(cluster, name, request);
    this.#enter(pool, 'Succeeded', pool.createdAt);
    pool.runningAt = pool.createdAt;
    this.#run(pool, [], pool.createdAt);
    return pool;
  }

  /** Gone, without an operation. */
  vanish(pool: Pool): void {
    const own = this.operations.of(pool);
    const now = this.now;
    if (own !== undefined)
      this.operations.end(own, 'Failed', now, { code: 'NotFound', message: 'The agent pool no longer exists.' });
    this.#remove(pool, now, 'vanished');
  }

  /** The machine goes and the pool stays, as when Azure takes back a spot machine. */
  loseMachine(record: InstanceRecord, at = this.now): void {
    if (record.goneAt !== null) return;
    record.goneAt = at;
    record.whyGone = 'interrupted';
    const pool = this.#poolOf.get(record);
    if (pool !== undefined) pool.request.count = pool.machines.filter(({ goneAt }) => goneAt === null).length;
    this.#options.onNodeDue(record);
  }

  /**
   * Two machines that follow each other may have one Node name between them: the second joins when the first one's Node
   * is no longer of interest to anybody.
   */
  predecessorOf(record: InstanceRecord): InstanceRecord | undefined {
    return this.#predecessors.get(record);
  }

  successorOf(record: InstanceRecord): InstanceRecord | undefined {
    return this.#successors.get(record);
  }

  plan(at: number, happen: (at: number) => void): void {
    this.#timeline.plan(at, happen);
  }

  /** Why no other operation may begin in this cluster now. */
  #busy(cluster: AzureCluster, except: Operation | undefined): Problem | undefined {
    const running = this.operations.inProgress(cluster).filter((one) => one !== except);
    const [first] = running;
    return first !== undefined && running.length >= cluster.operationsAtOnce ? inProgress(first) : undefined;
  }

  #create(
    cluster: AzureCluster,
    name: string,
    request: PoolRequest,
    faults: readonly MachineFault[],
  ): Extract<WriteOutcome, { result: 'begun' }> {
    const { settings } = this.#options;
    const pool = this.#newPool(cluster, name, request);
    this.#enter(pool, 'Creating', pool.createdAt);
    const operation = this.#begin('create', pool, settings.createSeconds, faults, (at) => {
      pool.runningAt = at;
      if (pool.machines.length === 0) this.#run(pool, faults, at);
      this.#enter(pool, 'Succeeded', at);
    });
    const fails = faults.some(({ kind }) => kind === 'operation-fails');
    if (operation.dueAt !== null && !fails && settings.machineLeadSeconds > 0) {
      const at = Math.max(pool.createdAt, operation.dueAt - Math.round(settings.machineLeadSeconds * 1000));
      this.plan(at, () => {
        if (operation.status === 'InProgress') this.#run(pool, faults, at);
      });
    }
    for (const fault of faults) {
      if (fault.kind !== 'vanish') continue;
      this.plan(pool.createdAt + Math.round(fault.afterSeconds * 1000), () => {
        if (pool.goneAt === null) this.vanish(pool);
      });
    }
    return { result: 'begun', created: true, pool, operation };
  }

  #update(pool: Pool, request: PoolRequest, faults: readonly MachineFault[]): WriteOutcome {
    const own = this.operations.of(pool);
    if (own !== undefined) return { result: 'busy', cluster: pool.cluster, problem: inProgress(own) };
    pool.request = request;
    this.#enter(pool, 'Updating', this.now);
    const operation = this.#begin('update', pool, this.#options.settings.updateSeconds, faults, (at) => {
      this.#resize(pool, at);
      this.#enter(pool, 'Succeeded', at);
    });
    return { result: 'begun', created: false, pool, operation };
  }

  #begin(
    kind: Exclude<OperationKind, 'foreign'>,
    pool: Pool,
    seconds: number,
    faults: readonly MachineFault[],
    done: (at: number) => void,
  ): Operation {
    const startedAt = this.now;
    const stuck = faults.some((fault) => fault.kind === 'never-running');
    const dueAt = stuck ? null : startedAt + Math.round(seconds * 1000);
    const { cluster } = pool;
    const operation = this.operations.begin({ cluster, kind, pool, what: kind, startedAt, dueAt });
    const failure = faults.find((fault) => fault.kind === 'operation-fails');
    if (dueAt === null) return operation;
    this.plan(dueAt, (at) => {
      if (operation.status !== 'InProgress') return;
      if (failure === undefined) {
        done(at);
        this.operations.end(operation, 'Succeeded', at);
        return;
      }
      const problem = this.#wrap({ code: failure.code, message: failure.message });
      pool.problem = problem;
      this.#enter(pool, 'Failed', at);
      this.operations.end(operation, 'Failed', at, problem);
    });
    return operation;
  }

  #wrap(problem: Problem): Problem {
    if (this.#options.settings.operationErrors === 'plain') return problem;
    const message = `Reconcile of the scale set failed: Code="${problem.code}" Message="${problem.message}"`;
    return { code: 'ReconcileVMSSAgentPoolFailed', message, details: [problem] };
  }

  #newPool(cluster: AzureCluster, name: string, request: PoolRequest): Pool {
    const pool: Pool = {
      seq: this.#ledger.length + 1,
      cluster,
      name,
      request,
      etag: '',
      state: 'Creating',
      history: [],
      problem: undefined,
      machines: [],
      price: this.#options.priceOf(request),
      createdAt: this.now,
      runningAt: null,
      deletingAt: null,
      goneAt: null,
      whyGone: null,
    };
    this.#ledger.push(pool);
    this.#living.set(keyOf(cluster, name), pool);
    return pool;
  }

  #enter(pool: Pool, state: ProvisioningState, at: number): void {
    pool.state = state;
    pool.etag = this.#options.ids.next();
    pool.history.push({ at, state });
    if (state !== 'Failed') pool.problem = undefined;
  }

  /** Starts the machines that are asked for. */
  #run(pool: Pool, faults: readonly MachineFault[], at: number): void {
    for (let index = pool.machines.length; index < pool.request.count; index++) {
      const machine = machineOf(pool, index, this.#options.settings, faults, at);
      pool.machines.push(machine);
      this.#poolOf.set(machine, pool);
      const before = this.#byNodeName.get(machine.id);
      if (before !== undefined) {
        this.#successors.set(before, machine);
        this.#predecessors.set(machine, before);
      }
      this.#byNodeName.set(machine.id, machine);
      this.#options.onNodeDue(machine);
      const { noticeAt, interruptAt } = machine.plan;
      if (noticeAt !== null) {
        this.plan(noticeAt, () => {
          if (machine.goneAt === null) this.#options.onPreemption(machine);
        });
      }
      if (interruptAt !== null) this.plan(interruptAt, (then) => this.loseMachine(machine, then));
    }
  }

  #resize(pool: Pool, at: number): void {
    this.#run(pool, [], at);
    for (const machine of pool.machines.slice(pool.request.count)) {
      if (machine.goneAt !== null) continue;
      machine.goneAt = at;
      machine.whyGone = 'deleted';
      this.#options.onNodeDue(machine);
    }
  }

  #end(pool: Pool, at: number): void {
    if (pool.goneAt === null) this.#remove(pool, at, 'deleted');
  }

  #remove(pool: Pool, at: number, why: 'deleted' | 'vanished'): void {
    pool.goneAt = at;
    pool.whyGone = why;
    this.#living.delete(keyOf(pool.cluster, pool.name));
    for (const machine of pool.machines) {
      if (machine.goneAt !== null) continue;
      machine.goneAt = at;
      machine.whyGone = why;
      this.#options.onNodeDue(machine);
    }
  }
}

const keyOf = (cluster: AzureCluster, name: string): string => `${cluster.id}/${name}`.toLowerCase();

function inProgress({ cluster, kind, pool, what }: Operation): Problem {
  if (cluster.kind === 'arc') return arcOperationInProgress(pool?.name ?? cluster.name);
  if (kind === 'foreign' && pool === undefined) return clusterOperationInProgress(what);
  return poolOperationInProgress(cluster, what, pool?.name ?? '');
}
