/** A configuration of the model: which provider, which bounds, which powers the adversary has. */
import type { Idempotency } from '../../shared/nodes/claims/attempt/attempt.ts';
import { type Program, type Rules, realProgram, realRules } from './rules.ts';
import { type Budget, noBudget, type Predecessor } from './state.ts';

export interface Config {
  name: string;
  idempotency: Idempotency;
  budget: Partial<Budget>;
  /** How many attempts a launch makes before it fails. A retry after a pause makes one more. */
  attempts?: number;
  /** Effects after the caller gave up: none, within the wait, or later than any wait. */
  lateness?: 'none' | 'bounded' | 'unbounded';
  /** When etcd may be restored: with no write in flight or unlisted, or at any time. */
  restores?: 'between-writes' | 'any';
  /** Begin-create looks for instances first (rule 4). Only a claim younger than any backup may skip it. */
  looks: boolean;
  /** Another provisioner had the claim before. */
  predecessor?: Predecessor;
}

export interface Setup {
  name: string;
  idempotency: Idempotency;
  budget: Budget;
  attempts: number;
  lateness: 'none' | 'bounded' | 'unbounded';
  restores: 'between-writes' | 'any';
  looks: boolean;
  predecessor: Predecessor;
  rules: Rules;
  program: Program;
  /** What a wait outlasts, read off the rule that says how long it is. */
  covers: { writes: boolean; late: boolean; lag: boolean };
  slots: number;
  writes: number;
}

/** How a mutation breaks the protocol. */
export interface Change {
  rules?: (real: Rules) => Partial<Rules>;
  program?: Partial<Program>;
  looks?: boolean;
}

export function setUp(config: Config, change: Change = {}): Setup {
  const rules: Rules = { ...realRules, ...change.rules?.(realRules) };
  const attempts = config.attempts ?? 2;
  const zero = { writeSeconds: 0, latenessSeconds: 0, listLagSeconds: 0 };
  return {
    name: config.name,
    idempotency: config.idempotency,
    budget: { ...noBudget, ...config.budget },
    attempts,
    lateness: config.lateness ?? 'none',
    restores: config.restores ?? 'between-writes',
    looks: change.looks ?? config.looks,
    predecessor: config.predecessor ?? 'none',
    rules,
    program: { ...realProgram, ...change.program },
    covers: {
      writes: rules.settleSeconds({ ...zero, writeSeconds: 1 }) >= 1,
      late: rules.settleSeconds({ ...zero, latenessSeconds: 1 }) >= 1,
      lag: rules.settleSeconds({ ...zero, listLagSeconds: 1 }) >= 1,
    },
    slots:
      config.idempotency === 'claim-name'
        ? 1
        : config.idempotency === 'none'
          ? 4
          : attempts + 1 + (config.budget.retry ?? 0),
    writes: 3,
  };
}
