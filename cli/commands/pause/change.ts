/** `poolwright pause` and `poolwright resume`: both may be said twice, and mean the same as once. */

import { type HostAddress, type HostApi, withHostApi } from '../../reach/host-api.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Format } from '../../terminal/output/formats.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { type Pause, type PauseTarget, pathOf, targetOf } from './target.ts';

export interface ResumeOptions extends HostAddress, Consent {
  output: DocumentFormat;
}

export interface PauseOptions extends HostAddress, Consent {
  /** That of a list, which `pause` can also show. */
  output: Format;
  why?: string;
}

export async function pause(words: readonly string[], options: PauseOptions, terminal: Terminal): Promise<number> {
  const target = targetOf(words);
  const { why } = options;
  const output = options.output === 'json' || options.output === 'yaml' ? options.output : 'text';
  const name = nameOf(target);
  return withHostApi(options, async (api) => {
    const [there] = await pausesOf(api, target);
    const already = there === undefined ? '' : ` (already paused${reasonOf(there)})`;
    const change = `Pause ${name}${already}: no new instances are created ${target.kind === 'cluster' ? 'there' : 'with it'}`;
    if (!(await confirmed(terminal, change, options))) return exitCodes.done;
    const answer = await api.ask<object>('PUT', pathOf(target), { body: why === undefined ? {} : { why } });
    await printDocument(answer, () => `${name} is paused. Deletions continue.\n`, output, terminal);
    if (output === 'text')
      terminal.err(`Lift it with 'poolwright resume ${name}'; 'poolwright get claims' shows the waiting claims.\n`);
    return exitCodes.done;
  });
}

export async function resume(words: readonly string[], options: ResumeOptions, terminal: Terminal): Promise<number> {
  const target = targetOf(words);
  const name = nameOf(target);
  return withHostApi(options, async (api) => {
    const there = (await pausesOf(api, target)).find(({ setBy }) => setBy === 'request');
    const change = `Lift the pause of ${name}${there === undefined ? '' : reasonOf(there)}: waiting claims continue and create instances`;
    // Where nothing is to be lifted, nobody need be asked; the host says what else there is to know.
    const asks = there !== undefined || options.dryRun;
    if (asks && !(await confirmed(terminal, change, options))) return exitCodes.done;
    const answer = await api.ask<{ lifted: boolean; stillPaused?: string }>('DELETE', pathOf(target));
    const { lifted, stillPaused } = answer;
    const text = lifted ? `The pause of ${name} is lifted.\n` : `${name} was not paused by a command.\n`;
    await printDocument(answer, () => text, options.output, terminal);
    if (stillPaused === undefined) return exitCodes.done;
    terminal.err(`${printable(stillPaused)}. Change it there and restart the host.\n`);
    return exitCodes.failed;
  });
}

async function pausesOf(api: HostApi, { kind, name }: PauseTarget): Promise<Pause[]> {
  const { items } = await api.ask<{ items: Pause[] }>('GET', '/v1/pauses');
  return items.filter((one) => one.kind === kind && one.name === name);
}

const nameOf = ({ kind, name }: PauseTarget): string => printable(`${kind}/${name}`);

function reasonOf({ setBy, why, at }: Pause): string {
  const since = at === undefined ? '' : ` since ${at}`;
  const said = why === undefined ? '' : `, because of ${JSON.stringify(why)}`;
  return printable(` by ${setBy === 'request' ? 'a command' : 'the configuration'}${since}${said}`);
}
