import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { accepted, startCollector } from '../../../test/stand-ins/otlp-collector.ts';
import { manualClock } from '../../base/runtime.ts';
import { collectingLog } from '../log/log.ts';
import { createMetrics } from '../metrics.ts';
import { OtlpPush } from './push.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

function pusher(more: { everySeconds?: number; withinMs?: number; headers?: string; headersFile?: string } = {}) {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const log = collectingLog();
  const metrics = createMetrics({ clock });
  const { everySeconds = 60, withinMs = 60_000, headers, headersFile } = more;
  const target = { url: `${collector.url}/v1/metrics`, headers, headersFile, everySeconds };
  const resource = { 'service.name': 'poolwright' };
  const push = new OtlpPush({ target, metrics, resource, version: '1', clock, log, env: {}, withinMs });
  const later = async (seconds: number): Promise<void> => {
    clock.advance(seconds * 1000);
    await push.ifDue();
  };
  const said = () => log.lines.splice(0).map(({ event, fields }) => ({ event, ...fields }));
  return { push, clock, metrics, later, said };
}

/** The value of a counter without labels in the last push. */
const restarts = (index = -1): number =>
  collector.received
    .at(index)
    ?.body.resourceMetrics[0].scopeMetrics[0].metrics.find(
      ({ name }: { name: string }) => name === 'poolwright_restarts_total',
    ).sum.dataPoints[0].asDouble;

describe('a push', () => {
  it('comes when it is time, compressed, with its headers', async () => {
    const { metrics, later, said } = pusher({ headers: 'authorization=Bearer%20hunter2' });
    metrics.restarts.inc();
    await later(59);
    expect(collector.received).toEqual([]);
    await later(1);
    expect(collector.received).toHaveLength(1);
    expect(collector.received[0]).toMatchObject({
      path: '/v1/metrics',
      headers: {
        authorization: 'Bearer hunter2',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'user-agent': 'poolwright/1',
      },
    });
    expect(restarts()).toBe(1);
    await later(59);
    expect(collector.received).toHaveLength(1);
    expect(said()).toEqual([]);
  });

  it('has what the one before could not deliver', async () => {
    const { metrics, later, said } = pusher();
    metrics.restarts.inc();
    collector.answer = (response) => void response.writeHead(500).end('no  disk');
    await later(60);
    expect(said()).toEqual([
      {
        event: 'metrics.push.failed',
        host: new URL(collector.url).host,
        failures: 1,
        problem: 'the collector answered with 500: no disk',
      },
    ]);
    metrics.restarts.inc();
    collector.answer = accepted;
    await later(60);
    expect(restarts()).toBe(2);
    expect(said()).toEqual([{ event: 'metrics.push.resumed', failures: 1 }]);
  });

  it('is tried less often while it fails, and told once in five minutes', async () => {
    const { later, said } = pusher();
    collector.answer = (response) => void response.writeHead(400).end();
    for (let minute = 0; minute < 60; minute++) await later(60);
    // After 1, 2, 4, 8 and then every 15 minutes.
    expect(collector.received.length).toBe(7);
    const told = said();
    expect(told.length).toBeGreaterThan(3);
    expect(told.length).toBeLessThan(8);
  });

  it('waits as long as the collector asks', async () => {
    const { later } = pusher();
    collector.answer = (response) => void response.writeHead(429, { 'retry-after': '600' }).end();
    await later(60);
    collector.answer = accepted;
    await later(599);
    expect(collector.received).toHaveLength(1);
    await later(1);
    expect(collector.received).toHaveLength(2);
  });

  it('gives up on a collector that hangs, and fails nobody', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { later, said } = pusher({ withinMs: 5000 });
    // Its time is over when the collector has it: a real one could be over before that.
    collector.answer = () => void vi.advanceTimersByTime(5000);
    await later(60);
    expect(said()).toMatchObject([{ event: 'metrics.push.failed', problem: expect.stringContaining('within') }]);
  });

  it('gives up on a collector that is not there', async () => {
    const { later, said } = pusher();
    collector.close();
    await later(60);
    expect(said()).toMatchObject([{ event: 'metrics.push.failed', problem: expect.stringContaining('ECONNREFUSED') }]);
  });

  it('does not wait for a gauge that hangs', async () => {
    const { metrics, later, said } = pusher({ withinMs: 50 });
    metrics.collectors.add(() => new Promise<void>(() => undefined));
    await later(60);
    expect(said()).toMatchObject([{ problem: 'the metrics could not be gathered in time' }]);
  });

  it('tells of points that were refused', async () => {
    const { later, said } = pusher();
    collector.answer = (response) =>
      void response.end('{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"too old"}}');
    await later(60);
    expect(said()).toMatchObject([{ problem: expect.stringMatching(/refused 3 points: .*too old/) }]);
    await later(60);
    expect(collector.received).toHaveLength(2);
  });

  it('is satisfied with an answer that says nothing', async () => {
    const { later, said } = pusher();
    collector.answer = (response) => void response.writeHead(202).end('<html>');
    await later(60);
    expect(said()).toEqual([]);
  });

  it('is not begun twice at once', async () => {
    const { push, clock } = pusher();
    clock.advance(60_000);
    await Promise.all([push.ifDue(), push.ifDue(), push.now()]);
    expect(collector.received).toHaveLength(1);
  });

  it('comes with every call when it may', async () => {
    const { later } = pusher({ everySeconds: 0 });
    await later(0);
    await later(0);
    expect(collector.received).toHaveLength(2);
  });

  it('takes its headers anew from a file, and says nothing of what stands in it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'poolwright-otlp-'));
    try {
      const headersFile = join(folder, 'headers');
      const { later, said } = pusher({ headersFile });
      await later(60);
      expect(said()).toMatchObject([{ problem: expect.stringContaining('ENOENT') }]);
      writeFileSync(headersFile, 'x-key=one\n');
      await later(60);
      expect(collector.received.at(-1)?.headers).toMatchObject({ 'x-key': 'one' });
      writeFileSync(headersFile, 'hunter2');
      said();
      await later(60);
      expect(JSON.stringify(said())).not.toContain('hunter2');
      expect(collector.received).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
