/** SQS in this process, by fauxqs: on loopback alone, and by the real time. */
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startFauxqs } from '../../peers/fauxqs-server.ts';

export interface Sqs {
  readonly url: string;
  readonly client: SQSClient;
  /** @returns Its URL. */
  createQueue(name: string, attributes?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

export async function startSqs(): Promise<Sqs> {
  const { url, close } = await startFauxqs();
  const client = sqsClient(url);
  return {
    url,
    client,
    async createQueue(QueueName, Attributes) {
      const made = await client.send(new CreateQueueCommand({ QueueName, ...(Attributes ? { Attributes } : {}) }));
      return made.QueueUrl ?? '';
    },
    async close() {
      client.destroy();
      await close();
    },
  };
}

export const sqsClient = (endpoint: string): SQSClient =>
  new SQSClient({
    region: 'eu-west-1',
    endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    useQueueUrlAsEndpoint: false,
  });
