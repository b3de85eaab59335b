/** The app for Azure beside a collector of OpenTelemetry: a process of its own, as the platform starts it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCollector } from '../../stand-ins/otlp-collector.ts';
import { type AzureHostProcess, type AzureHostWorld, startAzureHostWorld } from './world.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
let world: AzureHostWorld;
let host: AzureHostProcess;

beforeAll(async () => {
  collector = await startCollector();
  const otlp = { endpoint: collector.url, headers: 'x-key=hunter2', everySeconds: 0 };
  world = await startAzureHostWorld({ timers: false, config: { metrics: { otlp } } });
  host = await world.startHost();
});
afterAll(async () => {
  await world?.close();
  collector?.close();
});

const call = () => fetch(`${host.url}/v1/clusters`, { headers: { authorization: `Bearer ${world.token}` } });

it('pushes at the end of a call, before its answer', async () => {
  // A push has little time, and here everything shares one machine: one that was too slow is said, and made up for by a later call.
  for (;;) {
    expect((await call()).status).toBe(200);
    if (collector.received.length > 0) break;
    await expect.poll(host.said).toContain('metrics.push.failed');
  }
  expect(collector.received[0]?.headers).toMatchObject({ 'x-key': 'hunter2' });
  expect(JSON.stringify(collector.received[0]?.body)).toContain('karpenter_build_info');
  expect(host.said()).not.toContain('metrics.reported');
  expect(host.said()).not.toContain('hunter2');
});

it('answers when the collector refuses', async () => {
  collector.answer = (response) => void response.writeHead(503, { 'retry-after': '60' }).end();
  expect((await call()).status).toBe(200);
  const before = collector.received.length;
  expect((await call()).status).toBe(200);
  expect(collector.received.length).toBe(before);
});
