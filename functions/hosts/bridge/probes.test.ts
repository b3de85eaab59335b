import { afterEach, describe, expect, it } from 'vitest';
import type { BridgeStatus } from '../../sources/bridge.ts';
import { serveProbes } from './probes.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(status: Partial<BridgeStatus> = {}) {
  const served = await serveProbes(
    {
      sent: new Map([['dev.poolwright.claim.changed.v1', 3]]),
      failedSends: 2,
      pending: 1,
      trouble: undefined,
      synced: new Set(['nodes']),
      required: ['nodes', 'nodeclaims.karpenter.sh'],
      ...status,
    },
    { host: '127.0.0.1', port: 0 },
  );
  if (!served.ok) throw new Error(served.error.message);
  closing.push(served.value.close);
  const { url } = served.value;
  return async (path: string, method = 'GET') => {
    const answer = await fetch(url + path, { method });
    return { code: answer.status, text: await answer.text() };
  };
}

describe('the probes of the bridge', () => {
  it('say that it lives, whatever the cluster and the queue do', async () => {
    const ask = await start({ trouble: 'away' });
    expect((await ask('/healthz')).code).toBe(200);
  });

  it('say why it is not ready', async () => {
    const ask = await start({ trouble: 'connection refused' });
    expect(await ask('/readyz')).toEqual({
      code: 503,
      text: 'the first list of nodeclaims.karpenter.sh is not done yet\nthe queue does not accept events: connection refused\n',
    });
    const ready = await start({ synced: new Set(['nodes', 'nodeclaims.karpenter.sh']) });
    expect((await ready('/readyz?verbose')).code).toBe(200);
  });

  it('count for Prometheus', async () => {
    const { text } = await (await start())('/metrics');
    expect(text).toContain('poolwright_bridge_events_sent_total{type="dev.poolwright.claim.changed.v1"} 3\n');
    expect(text).toContain('poolwright_bridge_send_failures_total 2\n');
    expect(text).toContain('poolwright_bridge_synced{resource="nodeclaims.karpenter.sh"} 0\n');
    expect(text).toMatch(/^poolwright_bridge_resident_memory_bytes \d+$/m);
  });

  it('answer nothing else', async () => {
    const ask = await start();
    expect((await ask('/')).code).toBe(404);
    expect((await ask('/healthz', 'POST')).code).toBe(405);
  });

  it('name the option when their port is taken', async () => {
    const first = await serveProbes(
      { sent: new Map(), failedSends: 0, pending: 0, trouble: undefined, synced: new Set(), required: [] },
      { host: '127.0.0.1', port: 0 },
    );
    if (!first.ok) throw new Error(first.error.message);
    closing.push(first.value.close);
    const port = Number(new URL(first.value.url).port);
    const second = await serveProbes(
      { sent: new Map(), failedSends: 0, pending: 0, trouble: undefined, synced: new Set(), required: [] },
      { host: '127.0.0.1', port },
    );
    expect(second).toMatchObject({ ok: false, error: { message: expect.stringContaining('--probes') } });
  });
});
