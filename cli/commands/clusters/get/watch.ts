/** `get NAME -w`: the stages as they go on. On a terminal they are drawn anew, once a second; a pipe gets a line for each change. */
import { stripVTControlCharacters } from 'node:util';
import { systemClock } from '../../../../shared/base/runtime.ts';
import { summaryOf } from '../../../../shared/clusters/operations/summary.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import type { Format } from '../../../terminal/output/formats.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { printable } from '../../../terminal/text-table.ts';
import type { ReadRequest, RequestId, Requests } from '../requests/requests.ts';
import { stateOf } from './rows.ts';
import { noteOf, requestLines } from './stages.ts';

const tickMs = 1000;

/** Ends when the cluster is ready, when the request is gone, or with Ctrl-C. */
export async function watchRequest(
  requests: Requests,
  id: RequestId,
  output: Format,
  terminal: Terminal,
): Promise<number> {
  const isDrawn = terminal.isLive && (output === 'table' || output === 'wide');
  const drawing = isDrawn ? drawnOn(terminal) : undefined;
  const said = new Map<string, string>();
  try {
    for await (const read of requests.changes(id, terminal.signal)) {
      if (read === undefined) {
        drawing?.stop();
        terminal.out(`${id.namespace}/${id.name}  is gone\n`);
        return exitCodes.done;
      }
      if (output === 'json' || output === 'yaml') {
        terminal.out(`${output === 'yaml' ? '--- ' : ''}${JSON.stringify(read)}\n`);
      } else if (drawing !== undefined) drawing.show(read);
      else for (const line of newLines(read, said)) terminal.out(`${line}\n`);
      const { ready, deleting } = summaryOf(read.cluster, read.request);
      if (ready === 'True' && !deleting && isCurrent(read)) return exitCodes.done;
    }
    return exitCodes.interrupted;
  } finally {
    drawing?.stop();
  }
}

/** Not what was ready before the last change. */
const isCurrent = ({ request: { metadata, status } }: ReadRequest): boolean =>
  metadata.generation === undefined ||
  status?.observedGeneration === undefined ||
  status.observedGeneration >= metadata.generation;

/** What has changed since the last time: a line per stage, and one for the state of the whole. */
export function newLines(read: ReadRequest, said: Map<string, string>): string[] {
  const { namespace, name } = read.request.metadata;
  const lines: string[] = [];
  const say = (key: string, text: string): void => {
    if (said.get(key) === text) return;
    said.set(key, text);
    lines.push(printable(`${namespace}/${name}  ${text}`));
  };
  for (const stage of read.request.status?.stages ?? []) {
    if (stage.state === 'Pending') continue;
    const seconds = stage.seconds === undefined ? '' : ` after ${stage.seconds}s`;
    const note = noteOf(stage);
    say(stage.name, `${stage.name}  ${stage.state}${seconds}${note === '' ? '' : `  ${note}`}`);
  }
  const summary = summaryOf(read.cluster, read.request);
  say('', `${stateOf(summary)}${summary.message === undefined ? '' : `  ${summary.message}`}`);
  return lines;
}

function drawnOn(terminal: Terminal) {
  let latest: ReadRequest | undefined;
  let drawn = 0;
  const draw = (): void => {
    if (latest === undefined) return;
    const lines = requestLines(latest, systemClock.now(), terminal.columns());
    // Up over what was drawn, and everything below the cursor goes.
    const back = drawn === 0 ? '' : `\u001b[${drawn}A\u001b[J`;
    terminal.out(`${back}${lines.join('\n')}\n`);
    const columns = terminal.columns() ?? Number.POSITIVE_INFINITY;
    drawn = lines.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
      0,
    );
  };
  const timer = setInterval(draw, tickMs);
  return {
    show: (read: ReadRequest) => {
      latest = read;
      draw();
    },
    stop: () => clearInterval(timer),
  };
}
