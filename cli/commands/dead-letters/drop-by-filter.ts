/** `poolwright deadletters drop --cluster …`: however many match, the host drops them in one request. */

import { defined } from '../../../shared/base/defined.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { withHostApi } from '../../reach/host-api.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { ChangeOptions } from './change-options.ts';
import { allDeadLetters, type DeadLetter, listed, most } from './letters.ts';

export interface FilterOptions {
  cluster?: string;
  reason?: string;
  /** Seconds. */
  olderThan?: number;
}

export const hasFilter = ({ cluster, reason, olderThan }: FilterOptions): boolean =>
  cluster !== undefined || reason !== undefined || olderThan !== undefined;

export async function dropByFilter(
  ids: readonly string[],
  options: ChangeOptions & FilterOptions,
  terminal: Terminal,
): Promise<number> {
  const { cluster, reason, olderThan: olderThanSeconds } = options;
  if (ids.length > 0 || options.all) {
    throw new UserError('Pass ids, --all, or filters (--cluster, --reason, --older-than), but only one of them.', {
      code: 'InvalidOption',
      exitCode: exitCodes.misused,
    });
  }
  return withHostApi(options, async (api) => {
    const known = await allDeadLetters(api);
    const letters = known.filter((letter) => matches(letter, options, systemClock.now()));
    if (letters.length === 0 && known.length < most) {
      await printDocument({ dropped: 0 }, () => '', options.output, terminal);
      terminal.err('No dead letter matches.\n');
      return exitCodes.done;
    }
    const more = known.length < most ? '' : ' and every other one that matches';
    const sentence = `Permanently delete ${listed(letters)}${more}, and what matches by then: ${wordsOf(options)}`;
    if (!(await confirmed(terminal, sentence, options))) return exitCodes.done;
    const filter = defined({ cluster, reason, olderThanSeconds });
    const { dropped } = await api.ask<{ dropped: number }>('POST', '/v1/dead-letters/drop', { body: { filter } });
    await printDocument({ dropped }, () => `${dropped} deleted.\n`, options.output, terminal);
    return exitCodes.done;
  });
}

function matches(letter: DeadLetter, { cluster, reason, olderThan }: FilterOptions, now: number): boolean {
  return (
    (cluster === undefined || letter.cluster === cluster) &&
    (reason === undefined || letter.reason.includes(reason)) &&
    (olderThan === undefined || Date.parse(letter.deadAt) < now - olderThan * 1000)
  );
}

function wordsOf({ cluster, reason, olderThan }: FilterOptions): string {
  const words = [
    cluster === undefined ? undefined : `of cluster ${printable(cluster)}`,
    olderThan === undefined ? undefined : `older than ${olderThan} s`,
    reason === undefined ? undefined : `with ${JSON.stringify(printable(reason))} in the reason`,
  ];
  return words.filter((word) => word !== undefined).join(', ');
}
