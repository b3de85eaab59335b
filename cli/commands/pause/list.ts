/** `poolwright pause --list`. */
import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Format, type Listing, printListing } from '../../terminal/output/formats.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { Pause } from './target.ts';

export interface ListOptions extends HostAddress {
  output: Format;
}

export async function list(words: readonly string[], options: ListOptions, terminal: Terminal): Promise<number> {
  if (words.length > 0) {
    throw new UserError('--list cannot be combined with a target: pass only one of them.', {
      code: 'InvalidOption',
      exitCode: exitCodes.misused,
    });
  }
  const { items } = await withHostApi(options, (api) => api.ask<{ items: Pause[] }>('GET', '/v1/pauses'));
  await printListing(listingOf(items, systemClock.now()), options.output, terminal);
  return exitCodes.done;
}

export const listingOf = (rows: readonly Pause[], now: number): Listing<Pause> => ({
  rows,
  columns: [
    { title: 'PAUSED', text: nameOf },
    { title: 'IN', text: ({ kind, cluster }) => (kind === 'cluster' ? '' : (cluster ?? 'all clusters')) },
    { title: 'BY', text: ({ setBy }) => (setBy === 'request' ? 'a command' : 'the configuration') },
    { title: 'AGE', text: ({ at }) => (at === undefined ? '' : ageSince(at, now)) },
    { title: 'WHY', text: ({ why }) => why ?? '' },
  ],
  name: nameOf,
  data: (pause): Json => ({ ...pause }),
  empty: 'Nothing is paused.',
});

const nameOf = ({ kind, name }: Pause): string => `${kind}/${name}`;
