import type { Figure } from '../figure.ts';
import { armCalls } from './arm-calls.ts';
import { claimsPerSecond } from './claims-per-second.ts';
import { cloudStackCalls, cloudStackCallsWithoutIds, cloudStackLookups } from './cloudstack-calls.ts';
import { cloudStackLimit } from './cloudstack-limit.ts';
import { clusterRequestSeconds, clusterRequestsInFlight, clusterRequestWrites } from './cluster-requests.ts';
import { lambdaWatcherColdStart, slowestColdStart, slowestLambdaColdStart, watcherColdStart } from './cold-start.ts';
import { createLatency } from './create-latency.ts';
import { crowdMemory, crowdProgress } from './crowd.ts';
import { durableOperations } from './durable-operations.ts';
import { ec2Calls, ec2Lookups } from './ec2-calls.ts';
import { helpStart } from './help-start.ts';
import { interruptions } from './interruptions.ts';
import { journalRows } from './journal-rows.ts';
import { memory } from './memory.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { providerCalls } from './provider-calls.ts';
import { providerRpcs } from './provider-rpcs.ts';
import { providerServerMemory, providerServerSpeed } from './provider-server.ts';
import { requestBucket } from './request-bucket.ts';
import { restart } from './restart.ts';
import { timePerClaim } from './time-per-claim.ts';

export const figures: readonly Figure[] = [
  memory,
  crowdMemory,
  crowdProgress,
  timePerClaim,
  claimsPerSecond,
  journalRows,
  createLatency,
  providerCalls,
  restart,
  watcherColdStart,
  slowestColdStart,
  lambdaWatcherColdStart,
  slowestLambdaColdStart,
  armCalls,
  durableOperations,
  interruptions,
  oneAtATime,
  ec2Calls,
  ec2Lookups,
  requestBucket,
  cloudStackCalls,
  cloudStackCallsWithoutIds,
  cloudStackLookups,
  cloudStackLimit,
  clusterRequestSeconds,
  clusterRequestWrites,
  clusterRequestsInFlight,
  providerRpcs,
  providerServerSpeed,
  providerServerMemory,
  helpStart,
];
