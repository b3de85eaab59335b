/** Long-running operations: what is under way in each cluster, and what became of it. */
import type { Clock, Ids } from '../../shared/base/runtime.ts';
import type { JsonObject, Problem } from './answer.ts';
import type { AzureCluster } from './clusters.ts';
import type { Pool } from './pool.ts';

export type OperationKind = 'create' | 'update' | 'delete' | 'foreign';
export type OperationStatus = 'InProgress' | 'Succeeded' | 'Failed' | 'Canceled';

export interface Operation {
  id: string;
  cluster: AzureCluster;
  kind: OperationKind;
  /** Of which pool; a foreign one may be of the whole cluster. */
  pool: Pool | undefined;
  /** As a message names it: `create`, `Upgrading`, … */
  what: string;
  status: OperationStatus;
  startedAt: number;
  /** Null: nobody knows when it ends, if ever. */
  dueAt: number | null;
  endedAt: number | null;
  problem: Problem | undefined;
  /** What it brings when it has succeeded, if it is not a pool. */
  output: JsonObject | undefined;
}

export class Operations {
  readonly #known = new Map<string, Operation>();
  readonly #running = new Set<Operation>();
  /** In the order in which they ended. */
  readonly #ended: Operation[] = [];
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #keptMs: number;
  /** How long pool operations took, all together: what a queue of turns is measured against. */
  #busyMs = 0;

  constructor(parts: { clock: Clock; ids: Ids; keptSeconds: number }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
    this.#keptMs = parts.keptSeconds * 1000;
  }

  get busyMs(): number {
    return this.#busyMs;
  }

  begin(given: Pick<Operation, 'cluster' | 'kind' | 'pool' | 'what' | 'startedAt' | 'dueAt'>): Operation {
    const operation: Operation = {
      ...given,
      id: this.#ids.next(),
      status: 'InProgress',
      endedAt: null,
      problem: undefined,
      output: undefined,
    };
    this.#known.set(operation.id, operation);
    this.#running.add(operation);
    return operation;
  }

  end(operation: Operation, status: Exclude<OperationStatus, 'InProgress'>, at: number, problem?: Problem): void {
    operation.status = status;
    operation.endedAt = at;
    operation.problem = problem;
    this.#running.delete(operation);
    this.#ended.push(operation);
    if (operation.kind !== 'foreign') this.#busyMs += at - operation.startedAt;
  }

  /** Undefined when there never was one, or it ended too long ago. */
  find(id: string): Operation | undefined {
    this.#forget();
    return this.#known.get(id);
  }

  inProgress(cluster: AzureCluster): Operation[] {
    return [...this.#running].filter((one) => one.cluster === cluster);
  }

  /** The one that is under way for this pool. */
  of(pool: Pool): Operation | undefined {
    return [...this.#running].find((one) => one.pool === pool);
  }

  #forget(): void {
    const oldest = this.#clock.now() - this.#keptMs;
    for (let first = this.#ended[0]; first !== undefined; first = this.#ended[0]) {
      if (first.endedAt === null || first.endedAt >= oldest) return;
      this.#ended.shift();
      this.#known.delete(first.id);
    }
  }
}
