/** SQS in this process: fauxqs, on a free port of loopback. It goes by `Date`, which tests then move by hand. */
import { buildApp } from 'fauxqs';
import { vi } from 'vitest';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { AwsConnection } from '../../../shared/platforms/aws/client-options.ts';

export interface Fauxqs {
  connection: Required<AwsConnection>;
  clock: Clock;
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export async function startSqs(): Promise<Fauxqs> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  // Its own start would listen on every address.
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    connection: {
      region: 'eu-west-1',
      endpoint,
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    },
    clock: { now: () => Date.now(), monotonic: () => Date.now() },
    pass: async (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000),
    close: async () => {
      await app.close();
      vi.useRealTimers();
    },
  };
}
