/**
 * From what a configuration says of a provider server to a machine driver. All that one process asks of one server goes over one channel, with
 * one circuit breaker and one limit, whoever asks.
 */
import { readFile } from 'node:fs/promises';
import { errorText } from '../../base/error-text.ts';
import { fingerprint } from '../../base/fingerprint.ts';
import type { Rate } from '../../base/pace/request-bucket.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock, Random } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import type { Timers } from '../../base/timers.ts';
import type { MachineDriver } from '../contract.ts';
import type { CallName } from '../protocol/service.ts';
import { createCallPace } from './call-pace.ts';
import type { Caller } from './caller.ts';
import { type Channel, type ChannelOptions, openChannel } from './channel.ts';
import { type BreakerOptions, type BreakerState, breakerDefaults, createCircuitBreaker } from './circuit-breaker.ts';
import { grpcDriver } from './driver.ts';
import { type CallOutcome, resilientCaller } from './resilient-caller.ts';

export interface ConnectionOptions extends Omit<ChannelOptions, 'token'> {
  /** For messages and metrics. */
  name: string;
  /** What is behind the server, for metrics: `vsphere`. */
  type: string;
  rate?: Rate;
  breaker?: Partial<BreakerOptions>;
  /** With a bearer token; read with each call, so it may be renewed. */
  tokenFile?: string;
  /** Deadlines by call. */
  seconds?: Partial<Record<CallName, number>>;
  tries?: number;
}

/** What is told of the calls to a server; metrics are made of it. */
export interface ConnectionReports {
  ended(outcome: CallOutcome & { type: string; server: string }): void;
  breaker(state: BreakerState, of: { type: string; server: string }): void;
}

export interface ConnectionParts {
  clock: Clock;
  random: Random;
  timers: Timers;
  reports?: ConnectionReports | undefined;
  correlationId?(): string | undefined;
  /** Instead of gRPC over sockets: tests. */
  open?(options: ChannelOptions): Channel;
}

/** The default of `rateLimit` in VirtRigaud, which its servers expect. */
export const usualRate: Rate = { burst: 20, perSecond: 10 };

interface Line {
  call: Caller;
  channel: Channel;
  users: number;
}

/** By the clock of the process, so that tests, which share a process, share no server. */
const lines = new WeakMap<Clock, Map<string, Line>>();

export function connectDriver(options: ConnectionOptions, parts: ConnectionParts): MachineDriver {
  const ofClock = lines.get(parts.clock) ?? new Map<string, Line>();
  lines.set(parts.clock, ofClock);
  const key = fingerprint(options);
  const line = ofClock.get(key) ?? openLine(options, parts);
  ofClock.set(key, line);
  line.users += 1;
  let closed = false;
  return grpcDriver({
    type: options.type,
    call: line.call,
    close: async () => {
      if (closed) return;
      closed = true;
      line.users -= 1;
      if (line.users > 0) return;
      ofClock.delete(key);
      line.channel.close();
    },
  });
}

function openLine(options: ConnectionOptions, parts: ConnectionParts): Line {
  const { name: server, type, rate = usualRate, seconds, tries, tokenFile } = options;
  const { clock, reports, open = openChannel } = parts;
  const of = { type, server };
  const channel = open({
    ...options,
    ...(tokenFile === undefined ? {} : { token: () => readToken(tokenFile) }),
  });
  const breaker = createCircuitBreaker(server, clock, { ...breakerDefaults, ...options.breaker });
  const pace = createCallPace(server, rate, parts);
  const call = resilientCaller({
    ...parts,
    channel,
    breaker,
    enter: (_, signal) => pace.enter(signal),
    onEnded: (outcome) => reports?.ended({ ...outcome, ...of }),
    onBreaker: (state) => reports?.breaker(state, of),
    ...(seconds === undefined ? {} : { seconds }),
    ...(tries === undefined ? {} : { tries }),
  });
  return { call, channel, users: 0 };
}

async function readToken(file: string): Promise<Result<string>> {
  try {
    const token = (await readFile(file, 'utf8')).trim();
    rememberSecret(token);
    return token === '' ? failed('unauthorised', `the token file ${file} is empty`) : ok(token);
  } catch (error) {
    return failed('unauthorised', `cannot read the token file: ${errorText(error)}`);
  }
}
