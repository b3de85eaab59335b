/** What stand-ins for clouds have in common: how they are started, and the clock on which things happen in them. */
import { type Clock, type Ids, systemClock, systemIds } from '../../shared/base/runtime.ts';
import type { KubeletAccess, KubeletHook } from '../cloud/node-api.ts';
import { FaultBook, type FaultRules, faultRulesSchema } from './faults.ts';
import { Timeline } from './timeline.ts';

export interface StandInStart {
  clock?: Clock;
  ids?: Ids;
  /** 0, the default, takes a free one. */
  port?: number;
  /** The same seed, clock and requests give the same faults. */
  seed?: number;
  faults?: FaultRules;
  /** Real milliseconds before each answer. */
  latencyMs?: number;
  /** Where machines join. Without it they run, and no cluster ever hears of them. */
  kubelet?: KubeletHook | KubeletAccess;
  /** False where a test moves the clock: things then happen at the next request or `settle()`. */
  wakeByItself?: boolean;
  log?: (message: string, fields: Record<string, unknown>) => void;
}

export function standInParts(options: StandInStart) {
  const { clock = systemClock, ids = systemIds, log = () => {}, latencyMs = 0 } = options;
  const faults = new FaultBook(options.seed ?? 1, options.faults ?? []);
  return {
    clock,
    ids,
    log,
    latencyMs,
    faults,
    timeline: new Timeline(clock, options.wakeByItself !== false),
    setFaults: (rules: unknown): void => faults.replace(faultRulesSchema.parse(rules)),
  };
}

interface Running {
  timeline: Timeline;
  machines: { idle(): Promise<void>; close(): void };
  server: { close(): Promise<void> };
}

/** Lets happen what is due by the clock, and waits until every kubelet has said what it has to say. */
export async function settleStandIn({ timeline, machines }: Omit<Running, 'server'>): Promise<void> {
  do {
    timeline.settle();
    await machines.idle();
  } while (timeline.due);
}

/** @returns How to end it; it may be called again. */
export function closeStandIn({ timeline, machines, server }: Running): () => Promise<void> {
  let closed = false;
  return async () => {
    if (closed) return;
    closed = true;
    timeline.close();
    machines.close();
    await server.close();
  };
}
