/** `get deadletters`: messages that could not be used. What to do with them is up to `poolwright deadletters`. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { withHostApi } from '../../reach/host-api.ts';
import type { Listing } from '../../terminal/output/formats.ts';
import { allDeadLetters, type DeadLetter, most } from '../dead-letters/letters.ts';
import { listingOf } from '../dead-letters/list.ts';
import type { Getting } from './getting.ts';

export async function deadLetters({ options, terminal }: Getting): Promise<Listing<DeadLetter>> {
  const rows = await withHostApi(options, allDeadLetters);
  if (rows.length >= most) terminal.err(`These are the oldest ${rows.length}; there may be more.\n`);
  return listingOf(rows, systemClock.now());
}
