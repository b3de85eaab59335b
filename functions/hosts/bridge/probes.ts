/** What a kubelet and Prometheus ask the bridge: plain HTTP, nothing secret in it, and no library. */
import { createServer } from 'node:http';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { redactSecrets } from '../../../shared/base/secrets/known-secrets.ts';
import type { MetricDescription } from '../../../shared/observe/metrics.ts';
import type { BridgeStatus } from '../../sources/bridge.ts';

export interface Probes {
  readonly url: string;
  close(): Promise<void>;
}

export function serveProbes(status: BridgeStatus, at: { host: string; port: number }): Promise<Result<Probes>> {
  const server = createServer((request, response) => {
    const answer = answerTo(status, (request.url ?? '').split('?')[0] ?? '', request.method ?? '');
    request.resume();
    response
      .writeHead(answer.code, { 'content-type': answer.type, 'cache-control': 'no-store' })
      .end(redactSecrets(answer.text));
  });
  // Nobody has a reason to hold a connection open here.
  server.requestTimeout = 10_000;
  server.maxConnections = 64;
  return new Promise((resolve) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use: pass another one with --probes' : error.message;
      resolve(failed('unavailable', `can't listen on ${at.host}:${at.port}: ${why}`));
    });
    server.listen(at.port, at.host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : at.port;
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve(ok({ url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`, close }));
    });
  });
}

interface Answer {
  code: number;
  type: string;
  text: string;
}

const plain = 'text/plain; charset=utf-8';

function answerTo(status: BridgeStatus, path: string, method: string): Answer {
  if (method !== 'GET' && method !== 'HEAD') return { code: 405, type: plain, text: 'only GET\n' };
  switch (path) {
    case '/healthz':
      // A cluster or a queue that is away is no reason to restart the bridge: that would help nobody.
      return { code: 200, type: plain, text: 'ok\n' };
    case '/readyz': {
      const reasons = unreadyReasons(status);
      if (reasons.length === 0) return { code: 200, type: plain, text: 'ok\n' };
      return { code: 503, type: plain, text: `${reasons.join('\n')}\n` };
    }
    case '/metrics':
      return { code: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: metricsText(status) };
    default:
      return { code: 404, type: plain, text: 'there are /healthz, /readyz and /metrics\n' };
  }
}

export function unreadyReasons({ required, synced, trouble }: BridgeStatus): string[] {
  return [
    ...required
      .filter((resource) => !synced.has(resource))
      .map((resource) => `the first list of ${resource} is not done yet`),
    ...(trouble === undefined ? [] : [`the queue does not accept events: ${trouble}`]),
  ];
}

interface BridgeMetric extends MetricDescription {
  /** The value of its one label, if it has one, and its own. */
  samples(status: BridgeStatus): readonly (readonly [string, number])[];
}

/** All that a bridge counts; docs/reference/metrics.md is made from it. */
export const bridgeMetrics: readonly BridgeMetric[] = [
  {
    name: 'poolwright_bridge_events_sent_total',
    type: 'counter',
    labels: ['type'],
    help: 'Events that the queue has accepted.',
    samples: ({ sent }) => [...sent],
  },
  {
    name: 'poolwright_bridge_send_failures_total',
    type: 'counter',
    labels: [],
    help: 'Sends that failed and were retried.',
    samples: ({ failedSends }) => [['', failedSends]],
  },
  {
    name: 'poolwright_bridge_events_pending',
    type: 'gauge',
    labels: [],
    help: 'Events that are waiting for the queue.',
    samples: ({ pending }) => [['', pending]],
  },
  {
    name: 'poolwright_bridge_synced',
    type: 'gauge',
    labels: ['resource'],
    help: 'Whether the first list of a resource is on the queue.',
    samples: ({ required, synced }) =>
      [...new Set([...required, ...synced])].map((resource) => [resource, synced.has(resource) ? 1 : 0]),
  },
  {
    name: 'poolwright_bridge_resident_memory_bytes',
    type: 'gauge',
    labels: [],
    help: 'Resident memory.',
    samples: () => [['', process.memoryUsage.rss()]],
  },
];

function metricsText(status: BridgeStatus): string {
  const lines = bridgeMetrics.flatMap(({ name, type, labels: [label], help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples(status).map(([of, value]) => `${name}${label === undefined ? '' : `{${label}="${of}"}`} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}
