import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { Log } from '../../observe/log/log.ts';
import type { State } from '../../state/contract.ts';
import type { RequestNotice } from '../services.ts';
import { createNotifier } from './notifier.ts';
import { signature } from './sign.ts';
import type { NotifyTarget, Posted } from './target.ts';

const notice: RequestNotice = {
  type: 'ready',
  ref: { cluster: 'management', namespace: 'team-a', name: 'web', uid: 'u-1' },
  id: 'u-1/1/ready',
  at: Date.UTC(2026, 8, 1),
  request: {
    metadata: {
      name: 'web',
      namespace: 'team-a',
      uid: 'u-1',
      resourceVersion: '1',
      creationTimestamp: '2026-09-01T00:00:00Z',
    },
    spec: { location: 'westeurope' },
    status: {
      cluster: { fqdn: 'web.example' },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-09-01T00:00:00Z' },
      ],
    },
  },
};

function world(answers: (Posted | undefined)[], target: Partial<NotifyTarget> = {}) {
  const sent: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = [];
  const kept = new Map<string, Json>();
  const events: Json[] = [];
  const lines: string[] = [];
  const state = {
    get: async (key: string) => (kept.has(key) ? { key, value: kept.get(key), version: '1' } : undefined),
    put: async (key: string, value: Json) => void kept.set(key, value),
  } as unknown as State;
  const api = {
    create: async (_: unknown, object: Json) => {
      events.push(object);
      return events.length > 1 ? failed('conflict', 'exists') : ok({});
    },
  } as unknown as ClusterApi;
  const targets: NotifyTarget[] = [
    {
      name: 'hook',
      url: () => 'https://hook.example/x',
      format: 'cloudevents',
      signingKeys: () => ['k1'],
      on: ['ready', 'failed'],
      ...target,
    },
  ];
  const notifier = createNotifier({
    deployment: 'office',
    targets,
    api,
    post: async (url, message) => {
      sent.push({ url, ...message });
      return answers.shift();
    },
    state,
    clock: manualClock(1_790_000_000_000),
    log: { write: (id: string) => void lines.push(id) } as unknown as Log,
  });
  return { notifier, sent, kept, events, lines };
}

describe('a notification', () => {
  it('is a CloudEvent, signed with the time, and has an id that stays', async () => {
    const { notifier, sent } = world([{ status: 202 }]);
    expect(await notifier.notify(notice)).toEqual(ok(undefined));
    const [first] = sent;
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      specversion: '1.0',
      id: notice.id,
      type: 'dev.poolwright.cluster.ready.v1',
      subject: 'team-a/web',
      data: { team: 'team-a', fqdn: 'web.example', location: 'westeurope' },
    });
    const digest = createHmac('sha256', 'k1').update(`1790000000.${first?.body}`).digest('hex');
    expect(first?.headers['poolwright-signature']).toBe(`t=1790000000,v1=${digest}`);
    expect(first?.headers['idempotency-key']).toBe(notice.id);
  });

  it('reaches a target once, however often the workflow repeats', async () => {
    const { notifier, sent } = world([{ status: 200 }, { status: 200 }]);
    await notifier.notify(notice);
    await notifier.notify(notice);
    expect(sent).toHaveLength(1);
  });

  it.each<[Posted | undefined]>([[undefined], [{ status: 503 }], [{ status: 429, retryAfterSeconds: 30 }]])(
    'that may still arrive is a failure, so that it is repeated: %j',
    async (answer) => {
      const { notifier, sent } = world([answer, { status: 200 }]);
      const first = await notifier.notify(notice);
      expect(first).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
      if (answer?.retryAfterSeconds !== undefined) expect(first).toMatchObject({ error: { retryAfterSeconds: 30 } });
      expect(await notifier.notify(notice)).toEqual(ok(undefined));
      expect(sent).toHaveLength(2);
    },
  );

  it('that is refused for good is logged and not repeated: it never holds a request up', async () => {
    const { notifier, sent, lines } = world([{ status: 404 }]);
    expect(await notifier.notify(notice)).toEqual(ok(undefined));
    await notifier.notify(notice);
    expect(sent).toHaveLength(1);
    expect(lines).toEqual(['cluster-request.notification.refused']);
  });

  it('is only sent to those who want to know', async () => {
    const { notifier, sent } = world([], { on: ['failed'] });
    expect(await notifier.notify(notice)).toEqual(ok(undefined));
    expect(sent).toEqual([]);
  });

  it('is an Event of the request too, one and the same when repeated', async () => {
    const { notifier, events } = world([{ status: 200 }]);
    await notifier.notify(notice);
    expect(await notifier.notify(notice)).toEqual(ok(undefined));
    const names = events.map((event) => (event as { metadata: { name: string } }).metadata.name);
    expect(new Set(names).size).toBe(1);
    expect(events[0]).toMatchObject({ reason: 'ClusterReady', involvedObject: { name: 'web', uid: 'u-1' } });
  });

  it('for Slack has text and blocks, with cause and fix of a failure, and no markup from names', async () => {
    const { notifier, sent } = world([{ status: 200 }], { format: 'slack', signingKeys: () => [] });
    const stages = [
      { name: 'ManagedCluster' as const, state: 'Failed' as const, code: 'VcpuQuotaTooSmall', message: '2 <free>' },
    ];
    await notifier.notify({
      ...notice,
      type: 'failed',
      code: 'VcpuQuotaTooSmall',
      request: { ...notice.request, status: { stages } },
    });
    const body = JSON.parse(sent[0]?.body ?? '') as { text: string; blocks: Json[] };
    expect(body.text).toBe('Cluster team-a/web has failed.');
    expect(JSON.stringify(body.blocks)).toContain('2 &lt;free&gt;');
    expect(JSON.stringify(body.blocks)).toContain('higher quota');
    expect(sent[0]?.headers).not.toHaveProperty('poolwright-signature');
  });
});

it('each of several keys signs', () => {
  expect(signature('x', ['a', 'b'], 1)?.match(/v1=[0-9a-f]{64}/g)).toHaveLength(2);
  expect(signature('x', [], 1)).toBeUndefined();
});
