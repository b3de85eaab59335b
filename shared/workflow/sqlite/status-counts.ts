/** How many instances there are in each status; kept in memory, because counting rows for every scrape would cost. */
import type { WorkflowStatus } from '../contract.ts';

export class StatusCounts {
  readonly #byWorkflow = new Map<string, Map<WorkflowStatus, number>>();

  constructor(found: readonly { workflow: string; status: WorkflowStatus; n: number }[]) {
    for (const { workflow, status, n } of found) this.add(workflow, status, n);
  }

  add(workflow: string, status: WorkflowStatus, n: number): void {
    const counts = this.#byWorkflow.get(workflow) ?? new Map<WorkflowStatus, number>();
    this.#byWorkflow.set(workflow, counts);
    counts.set(status, (counts.get(status) ?? 0) + n);
  }

  byWorkflow(): Record<string, Partial<Record<WorkflowStatus, number>>> {
    return Object.fromEntries(
      [...this.#byWorkflow].map(([workflow, counts]) => [
        workflow,
        Object.fromEntries([...counts].filter(([, n]) => n > 0)),
      ]),
    );
  }
}
