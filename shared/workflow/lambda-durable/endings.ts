/** How a workflow says that it ended otherwise than well: the platform keeps the type and the message of an error. */
import type { WorkflowStatus } from '../contract.ts';

export type BadEnding = Extract<WorkflowStatus, 'failed' | 'mismatched' | 'set-aside'>;

const prefix = 'Workflow.';

export class WorkflowEnded extends Error {
  constructor(status: BadEnding, message: string) {
    super(message);
    this.name = `${prefix}${status}`;
  }
}

/** What the library calls a replay that did something else than the history says. */
const nonDeterministic = 'NonDeterministicExecutionError';

const endings: readonly string[] = ['failed', 'mismatched', 'set-aside'] satisfies BadEnding[];

/** @param errorType As the platform tells it. */
export function endingOf(errorType: string | undefined): BadEnding {
  if (errorType === nonDeterministic) return 'mismatched';
  const named = errorType?.startsWith(prefix) ? errorType.slice(prefix.length) : '';
  return endings.includes(named) ? (named as BadEnding) : 'failed';
}
