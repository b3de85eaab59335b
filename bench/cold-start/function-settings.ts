/** What a function for Lambda finds in its environment when it serves one EKS cluster; and, for the loader, what its first call brings. */
import { makeEvent } from '../../events/make.ts';

const uid = '7b0c6d8e-2a41-4c55-9d0f-3f1f6f0c9a10';

/** As the stack writes it. */
const configuration = JSON.stringify({
  deployment: 'bench',
  clusters: { east: { server: 'https://127.0.0.1:1', token: 'none' } },
  providers: { ec2: { type: 'ec2', region: 'eu-west-1', clusterName: 'east' } },
});

const queues = 'https://sqs.eu-west-1.amazonaws.com/000000000000';

export const functionSettings = (name: string): Record<string, string> => ({
  POOLWRIGHT_CONFIG: configuration,
  POOLWRIGHT_HTTP_TOKEN: 'none',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  STATE_TABLE: 'poolwright',
  EVENTS_QUEUE_URL: `${queues}/events`,
  EVENTS_DEAD_LETTERS_URL: `${queues}/events-dead`,
  INTERRUPTIONS_QUEUE_URL: `${queues}/interruptions`,
  INTERRUPTIONS_DEAD_LETTERS_URL: `${queues}/interruptions-dead`,
  WORKFLOWS_FUNCTION: 'poolwright-bench-workflows',
  WORKFLOWS_ALIAS: 'durable',
  STEPS_FUNCTION: 'poolwright-bench-steps',
  PROVISION_FUNCTION_PREFIX: 'poolwright-bench-provision-',
  BENCH_EVENT: JSON.stringify(firstEvent(name)),
});

function firstEvent(name: string): unknown {
  const ref = { cluster: 'east', name: 'web', uid };
  switch (name) {
    case 'watch-events':
      return batch(
        makeEvent(
          'dev.poolwright.claim.changed.v1',
          { ...ref, generation: 1, deleting: false, observedBy: 'bridge' },
          { id: '1', time: 0, source: '/bridge/east', subject: 'east/web' },
        ),
      );
    case 'watch-interruptions':
      return batch({
        version: '0',
        source: 'aws.ec2',
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': 'i-0123456789abcdef0', 'instance-action': 'terminate' },
      });
    case 'http': {
      const http = { method: 'GET', path: '/healthz' };
      const requestContext = { http, stage: '$default', domainName: 'bench' };
      return { rawPath: '/healthz', rawQueryString: '', headers: {}, requestContext };
    }
    case 'reconcile':
      return { timer: 'resync' };
    case 'workflows':
      return firstTurn({ workflow: 'launch', v: 2, id: `east/${uid}/launch/1`, input: ref });
    case 'steps':
      return { activity: 'choose', payload: { id: `east/${uid}/launch/1`, execution: 1, input: { ref } } };
    default:
      return {
        activity: 'findCreated',
        payload: { id: `east/${uid}/launch/1`, execution: 1, input: { ref, attempt: 1, provider: 'ec2' } },
      };
  }
}

const batch = (body: unknown) => ({
  Records: [
    {
      messageId: '1',
      receiptHandle: '1',
      body: JSON.stringify(body),
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' },
      messageAttributes: {},
      eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:events',
    },
  ],
});

const firstTurn = (input: object) => ({
  DurableExecutionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:workflows:1/durable-execution/a/b',
  CheckpointToken: '1',
  InitialExecutionState: {
    Operations: [
      { Id: '1', Type: 'EXECUTION', Status: 'STARTED', ExecutionDetails: { InputPayload: JSON.stringify(input) } },
    ],
  },
});
