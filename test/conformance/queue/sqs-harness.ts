/** Queues of one SQS stand-in, each with a queue for its dead letters, as the deployment makes them. */
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../../shared/base/runtime.ts';
import { type AwsConnection, clientOptions } from '../../../shared/platforms/aws/client-options.ts';
import type { QueueOptions } from '../../../shared/queue/contract.ts';
import { openSqsQueue } from '../../../shared/queue/sqs/queue.ts';
import type { QueueHarness } from './conformance.ts';

export interface SqsWorld {
  connection: AwsConnection;
  clock: Clock;
  pass(seconds: number): Promise<void>;
}

let worlds = 0;

/** Every harness has queues of its own. What our process loses when it dies is its client, and what it remembers. */
export async function sqsHarness({ connection, clock, pass }: SqsWorld): Promise<QueueHarness> {
  const world = `world-${++worlds}`;
  return {
    open: async (name, options) => {
      const queue = `${world}-${name}`;
      await createQueues(connection, queue, options);
      return openSqsQueue({ connection, queue, clock, options, waitSeconds: 0 });
    },
    pass,
    crash: async () => {},
    close: async () => {},
  };
}

/** Nothing happens to one that is there already. */
export async function createQueues(
  connection: AwsConnection,
  queue: string,
  { visibilitySeconds, maxReceives }: Pick<QueueOptions, 'visibilitySeconds' | 'maxReceives'>,
): Promise<void> {
  const client = new SQSClient(clientOptions(connection));
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `${queue}-dead` }));
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const deadLetterTargetArn = Attributes?.QueueArn;
  await client.send(
    new CreateQueueCommand({
      QueueName: queue,
      Attributes: {
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: maxReceives }),
      },
    }),
  );
  client.destroy();
}
