/** A simulated cloud with a clock that is moved by hand, and a bare client for it. */
import type { Json } from '../../../shared/base/json.ts';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import { type SimCloud, type SimCloudOptions, startSimCloud } from '../../../sim/cloud/start.ts';

/** The fields of all answers; which of them are there depends on what was asked. */
export interface AnswerBody {
  id: string;
  state: string;
  createdAt: number;
  next: string;
  error: { code: string; message: string };
  items: { seq: number; name: string; state: string; offerings: object[] }[];
}

export interface Answer {
  status: number;
  headers: Headers;
  body: AnswerBody;
}

export interface CloudUnderTest {
  cloud: SimCloud;
  ask(method: string, path: string, body?: Json): Promise<Answer>;
  create(more?: { [key: string]: Json }): Promise<Answer>;
  advance(seconds: number): Promise<void>;
}

export const owned = (claimUid: string, attempt = 1): Record<string, string> => ({
  'poolwright.dev/deployment': 'main',
  'poolwright.dev/cluster': 'k',
  'poolwright.dev/claim-uid': claimUid,
  'poolwright.dev/attempt': String(attempt),
});

/** With its own clock, unless one is given; `advance` moves it only if it can be moved. */
export async function startCloud(options: SimCloudOptions = {}): Promise<CloudUnderTest> {
  const clock = options.clock ?? manualClock();
  const cloud = await startSimCloud({ wakeByItself: false, ids: countingIds(), ...options, clock });
  const ask = async (method: string, path: string, body?: Json): Promise<Answer> => {
    const init =
      body === undefined ? { method } : { method, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const answer = await fetch(`${cloud.url}${path}`, init);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as AnswerBody };
  };
  return {
    cloud,
    ask,
    create: (more = {}) =>
      ask('POST', '/instances', {
        name: 'web-1',
        token: 'token-1',
        instanceType: 'general-small',
        zone: 'zone-a',
        capacityType: 'spot',
        tags: owned('u1'),
        ...more,
      }),
    advance: async (seconds) => {
      if (!('advance' in clock) || typeof clock.advance !== 'function') throw new Error('this clock runs by itself');
      clock.advance(seconds * 1000);
      await cloud.settle();
    },
  };
}
