/** Everything the engine tells the outside: one method per thing that happens, with its log line, metric and count. */
import type { Json } from '../../base/json.ts';
import type { StorageError } from '../../platforms/sqlite/sqlite.ts';
import type { WorkflowStatus } from '../contract.ts';
import type { InstanceRow } from './journal.ts';
import type { EngineLog, EngineMetrics, StepOutcome } from './options.ts';
import { StatusCounts } from './status-counts.ts';

export class Reports {
  readonly counts: StatusCounts;
  readonly #log: EngineLog;
  readonly #metrics: EngineMetrics;

  constructor(log: EngineLog, metrics: EngineMetrics, found: ConstructorParameters<typeof StatusCounts>[0]) {
    this.#log = log;
    this.#metrics = metrics;
    this.counts = new StatusCounts(found);
  }

  started(workflow: string, workflowId: string, group: string): void {
    this.counts.add(workflow, 'running', 1);
    this.#metrics.workflowStarted?.(workflow);
    this.#log.debug({ workflow, workflowId, group }, 'workflow started');
  }

  executed(
    step: { workflowId: string; activity: string; execution: number },
    input: Json,
    milliseconds: number,
    outcome: StepOutcome,
    error: string | undefined,
  ): void {
    this.#metrics.stepFinished?.(step.activity, milliseconds, outcome, input);
    if (error !== undefined) this.#log.warn({ ...step, outcome, error }, 'activity threw');
  }

  ended(workflow: string, workflowId: string, status: WorkflowStatus, error: string | null): void {
    this.#left(workflow, status);
    this.#metrics.workflowEnded?.(workflow, status);
    if (error === null) this.#log.debug({ workflow, workflowId }, 'workflow completed');
    else this.#log.error({ workflow, workflowId, error }, 'workflow failed');
  }

  mismatched(row: InstanceRow, nextEpoch: number, reason: string): void {
    const { workflow } = row;
    this.#left(workflow, 'mismatched');
    this.#metrics.mismatched?.(workflow);
    this.#metrics.workflowEnded?.(workflow, 'mismatched');
    this.#log.warn({ workflow, workflowId: idOf(row), nextEpoch, reason }, 'history closed and started afresh');
  }

  setAside(row: InstanceRow, reason: string): void {
    this.#left(row.workflow, 'set-aside');
    this.setAsideBefore(row, reason);
  }

  /** Set aside by the recovery, before anything was counted. */
  setAsideBefore(row: InstanceRow, reason: string): void {
    const { workflow } = row;
    this.#metrics.setAside?.(workflow);
    this.#metrics.workflowEnded?.(workflow, 'set-aside');
    this.#log.error({ workflow, workflowId: idOf(row), reason }, 'workflow set aside');
  }

  /** @param row As it stood before. */
  triedAgain(row: InstanceRow, nextEpoch: number): void {
    const { workflow, status } = row;
    if (status === 'set-aside' || status === 'running') {
      this.counts.add(workflow, status, -1);
      this.counts.add(workflow, 'failed', 1);
    }
    const message = status === 'set-aside' ? 'trying again what was set aside' : 'started once more by request';
    this.#log.info({ workflow, workflowId: idOf(row), status, nextEpoch }, message);
  }

  resumed(count: number): void {
    if (count > 0) this.#metrics.resumed?.(count);
  }

  purged(rows: readonly InstanceRow[]): void {
    for (const row of rows) this.counts.add(row.workflow, row.status, -1);
  }

  unusable({ kind, file, message }: StorageError): void {
    this.#log.error({ kind, file, error: message }, 'the journal is unusable');
  }

  #left(workflow: string, status: WorkflowStatus): void {
    this.counts.add(workflow, 'running', -1);
    this.counts.add(workflow, status, 1);
  }
}

const idOf = (row: InstanceRow): string => `${row.key}/${row.epoch}`;
