/** `poolwright deadletters list`. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { type Format, type Listing, printListing } from '../../terminal/output/formats.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { aboutOf, allDeadLetters, type DeadLetter, most, typeOf } from './letters.ts';

export interface ListOptions extends HostAddress {
  output: Format;
}

export async function list(options: ListOptions, terminal: Terminal): Promise<number> {
  const letters = await withHostApi(options, allDeadLetters);
  await printListing(listingOf(letters, systemClock.now()), options.output, terminal);
  if (letters.length >= most) terminal.err(`These are the oldest ${letters.length}; there may be more.\n`);
  return 0;
}

export const listingOf = (rows: readonly DeadLetter[], now: number): Listing<DeadLetter> => ({
  rows,
  columns: [
    { title: 'ID', text: ({ id }) => id },
    { title: 'AGE', text: ({ deadAt }) => ageSince(deadAt, now) },
    { title: 'RECEIVED', text: ({ receiveCount }) => String(receiveCount) },
    { title: 'ABOUT', text: (letter) => aboutOf(letter) ?? '' },
    { title: 'TYPE', text: (letter) => typeOf(letter) ?? '', wide: true },
    { title: 'SENT', text: ({ enqueuedAt }) => enqueuedAt, wide: true },
    { title: 'WHY', text: ({ reason }) => reason },
  ],
  name: ({ id }) => `deadletter/${id}`,
  data: (letter) => ({ ...letter }),
  empty: 'No dead letters.',
});
