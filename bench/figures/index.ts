import type { Figure } from '../figure.ts';
import { armCalls } from './arm-calls.ts';
import { claimsPerSecond } from './claims-per-second.ts';
import { slowestColdStart, watcherColdStart } from './cold-start.ts';
import { createLatency } from './create-latency.ts';
import { journalRows } from './journal-rows.ts';
import { memory } from './memory.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { providerCalls } from './provider-calls.ts';
import { restart } from './restart.ts';
import { timePerClaim } from './time-per-claim.ts';

export const figures: readonly Figure[] = [
  memory,
  timePerClaim,
  claimsPerSecond,
  journalRows,
  createLatency,
  providerCalls,
  restart,
  watcherColdStart,
  slowestColdStart,
  armCalls,
  oneAtATime,
];
