/** A queue as EventBridge fills it: it has no dead letters, and somebody else sends. */
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type AwsConnection, clientOptions } from '../../shared/platforms/aws/client-options.ts';

export interface SqsQueue {
  readonly name: string;
  readonly url: string;
  send(bodies: readonly (string | object)[]): Promise<void>;
  /** How many wait, and how many somebody has. */
  left(): Promise<{ visible: number; inFlight: number }>;
  close(): void;
}

let queues = 0;

export async function anSqsQueue(
  connection: AwsConnection,
  name = `interruptions-${++queues}`,
  attributes: Record<string, string> = {},
): Promise<SqsQueue> {
  const client = new SQSClient({ ...clientOptions(connection), useQueueUrlAsEndpoint: false });
  const made = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  const QueueUrl = made.QueueUrl ?? '';
  const textOf = (body: string | object): string => (typeof body === 'string' ? body : JSON.stringify(body));
  return {
    name,
    url: QueueUrl,
    async send(bodies) {
      if (bodies.length === 1) {
        await client.send(new SendMessageCommand({ QueueUrl, MessageBody: textOf(bodies[0] ?? '') }));
        return;
      }
      for (let start = 0; start < bodies.length; start += 10) {
        const Entries = bodies
          .slice(start, start + 10)
          .map((body, index) => ({ Id: String(index), MessageBody: textOf(body) }));
        await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
    async left() {
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      return {
        visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    },
    close: () => client.destroy(),
  };
}
