/** What is paused: a cluster or a provider, by the name in the configuration. */

import { parseTarget, type Target } from '../../reach/target.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { UserError } from '../../terminal/user-error.ts';

export type PauseTarget = Target<'cluster' | 'provider'>;

/** As the host tells it. */
export interface Pause {
  kind: 'cluster' | 'provider';
  name: string;
  setBy: 'configuration' | 'request';
  /** Where a provider is paused, if not everywhere. */
  cluster?: string;
  why?: string;
  at?: string;
}

/** `cluster/a`, or `cluster a`. A bare name could be either, and the wrong one would stop the wrong thing. */
export function targetOf(words: readonly string[]): PauseTarget {
  const [first = ''] = words;
  if (words.length > 2 || (words.length < 2 && !first.includes('/'))) {
    throw new UserError(
      "Pass the target as cluster/<name> or provider/<name>. 'poolwright pause --list' shows what is paused.",
      {
        code: 'UnknownKind',
        exitCode: exitCodes.misused,
      },
    );
  }
  return parseTarget(words, ['cluster', 'provider']);
}

export const pathOf = ({ kind, name }: PauseTarget): string => `/v1/pauses/${kind}/${encodeURIComponent(name)}`;
