/** `poolwright workflows restart`. */
import type { Json } from '../../../shared/base/json.ts';
import { withHostApi } from '../../reach/host-api.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { inspect, pathOf, type WhichOptions, type WorkflowHistory } from './workflow.ts';

export interface RestartOptions extends WhichOptions, Consent {
  force?: boolean;
  output: DocumentFormat;
}

export async function restart(word: string, options: RestartOptions, terminal: Terminal): Promise<number> {
  const { force = false } = options;
  return withHostApi(options, async (api) => {
    const found = await inspect(api, word, options);
    if (found.status === 'running' && !force) throw stillRunning(found);
    if (!(await confirmed(terminal, changeOf(found), options))) return exitCodes.done;
    const body = force ? { force } : {};
    const answer = await api.ask<{ id: string; epoch: number }>('POST', `${pathOf(found.id)}/restart`, { body });
    await printDocument(answer, () => `It is running as ${printable(answer.id)}.\n`, options.output, terminal);
    return exitCodes.done;
  });
}

const stillRunning = ({ id, waitingFor }: WorkflowHistory): UserError =>
  new UserError(
    printable(
      `${id} is running${waitingFor === undefined ? '' : `, waiting for ${waitingFor}`}. If it hangs or is lost, pass --force to replace it.`,
    ),
    { code: 'StillRunning' },
  );

/** "Start sim/u-1/launch/7 of claim/web-1 once more, which is failed (boom)". */
function changeOf({ id, input, status, error }: WorkflowHistory): string {
  const of = claimIn(input);
  const how = status === 'running' ? 'replacing the running one' : `which is ${status}`;
  return printable(
    `Restart ${id}${of === undefined ? '' : ` of claim/${of}`}, ${how}${error === undefined ? '' : ` (${error})`}`,
  );
}

/** An id has the uid of its claim, by which nobody knows it. */
function claimIn(input: Json): string | undefined {
  const name = typeof input === 'object' && input !== null && 'name' in input ? input.name : undefined;
  return typeof name === 'string' ? name : undefined;
}
