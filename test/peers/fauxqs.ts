/** SQS in this process: fauxqs, on a free port of loopback. */
import { vi } from 'vitest';
import type { Clock } from '../../shared/base/runtime.ts';
import type { AwsConnection } from '../../shared/platforms/aws/client-options.ts';
import { startFauxqs } from './fauxqs-server.ts';

export interface Fauxqs {
  connection: Required<AwsConnection>;
  clock: Clock;
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** It goes by `Date`, which tests move by hand. */
export async function startSqs(): Promise<Fauxqs> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  const { url: endpoint, close } = await startFauxqs();
  return {
    connection: {
      region: 'eu-west-1',
      endpoint,
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    },
    clock: { now: () => Date.now(), monotonic: () => Date.now() },
    pass: async (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000),
    close: async () => {
      await close();
      vi.useRealTimers();
    },
  };
}
