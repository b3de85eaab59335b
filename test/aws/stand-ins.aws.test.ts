/** That the stand-ins start, answer, and end without a trace. */
import { existsSync } from 'node:fs';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { expect, it } from 'vitest';
import { clientOptions } from '../../shared/platforms/aws/client-options.ts';
import { startMinistack } from './stand-ins.ts';
import { useMoto } from './use-stand-ins.ts';

const moto = useMoto();

it('moto answers the real client', async () => {
  const sts = new STSClient(clientOptions(moto.connection()));
  expect((await sts.send(new GetCallerIdentityCommand({}))).Account).toBe('123456789012');
  sts.destroy();
});

it('ministack answers the real client, and has ended when it was stopped', async () => {
  const ministack = await startMinistack();
  const { endpoint, region, credentials, pid } = ministack;
  try {
    const sqs = new SQSClient(clientOptions({ endpoint, region, credentials }));
    expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
    sqs.destroy();
  } finally {
    await ministack.stop();
  }
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});
