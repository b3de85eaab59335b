/** `poolwright dead-letters`: what could not be used, and the way back for it. */
import { cutText } from '../shared/claims/text.ts';
import { allPages, type HostAddress, withHostApi } from './host-api.ts';
import type { Output } from './main.ts';
import { printable } from './text-table.ts';

export interface DeadLettersOptions extends HostAddress {
  /** True stands for all of them. */
  replay?: true | string[];
  json?: boolean;
}

interface DeadLetter {
  id: string;
  reason: string;
  body: string;
  receiveCount: number;
  enqueuedAt: string;
  deadAt: string;
}

const most = 10_000;
const shownBody = 300;

export async function deadLetters(options: DeadLettersOptions, output: Output): Promise<number> {
  const { replay, json } = options;
  return withHostApi(options, async (api) => {
    if (replay !== undefined) {
      const body = replay === true ? {} : { ids: replay };
      const answer = await api.ask<{ replayed: number }>('POST', '/v1/dead-letters/replay', { body });
      const { replayed } = answer;
      output.out(json ? `${JSON.stringify(answer)}\n` : `${replayed} put back on the queue.\n`);
      // Whoever names letters wants those; one that is not there any more is worth a failure.
      return replay === true || replayed === replay.length ? 0 : 1;
    }
    const items = await allPages<DeadLetter>(api, '/v1/dead-letters', {}, most);
    if (json) output.out(`${JSON.stringify({ items }, null, 2)}\n`);
    else if (items.length === 0) output.out('No dead letters: every message could be used.\n');
    else output.out(`${items.map(shown).join('\n')}\n${items.length} in all. Put them back with --replay.\n`);
    return 0;
  });
}

const shown = ({ id, reason, body, receiveCount, deadAt }: DeadLetter): string =>
  [
    `${id}  ${deadAt}, received ${receiveCount === 1 ? 'once' : `${receiveCount} times`}`,
    `  why   ${printable(reason)}`,
    `  body  ${printable(cutText(body, shownBody))}`,
    '',
  ].join('\n');
