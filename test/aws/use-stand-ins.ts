/**
 * A stand-in for one test file in `*.aws.test.ts`: it starts before its tests and ends after them. Nothing else uses it, so a
 * test has to keep apart only from the others of its file.
 *
 * @example
 * const moto = useMoto();
 * it('…', async () => { new SQSClient(clientOptions(moto.connection())) });
 */
import { afterAll, beforeAll } from 'vitest';
import type { AwsConnection } from '../../shared/platforms/aws/client-options.ts';
import { type AwsStandIn, type Moto, startMinistack, startMoto } from './stand-ins.ts';

export interface UsedStandIn<T extends AwsStandIn = AwsStandIn> {
  /** Only within tests and hooks: it is not there before. */
  get(): T;
  /** What a client of ours is made with. */
  connection(): Required<AwsConnection>;
}

/** moto: EC2, STS, SSM, SQS, DynamoDB, IAM, Secrets Manager. Its traps: docs/testing.md. */
export const useMoto = (env: Record<string, string> = {}): UsedStandIn<Moto> => use(() => startMoto(env));

/** ministack: Lambda without containers, and SQS that invokes it. Nothing else of it is to be trusted. */
export const useMinistack = (env: Record<string, string> = {}): UsedStandIn => use(() => startMinistack(env));

function use<T extends AwsStandIn>(start: () => Promise<T>): UsedStandIn<T> {
  let running: T | undefined;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(async () => running?.stop());
  const get = (): T => {
    if (!running) throw new Error('the stand-in runs only while tests and hooks do');
    return running;
  };
  return {
    get,
    connection: () => {
      const { endpoint, region, credentials } = get();
      return { endpoint, region, credentials };
    },
  };
}
