/** The local host beside a collector of OpenTelemetry. */
import { afterEach, expect, it } from 'vitest';
import { openDataDirectory } from '../../../functions/hosts/local/data-directory.ts';
import { startLocalHost } from '../../../functions/hosts/local/host.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { startCollector } from '../../stand-ins/otlp-collector.ts';
import { temporaryDirectory, useProcesses, worldBeside } from './host-process.ts';

useProcesses();
const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function hostWith(otlp: Record<string, string>) {
  const { config: file } = await worldBeside({ metrics: { otlp } });
  const loaded = loadConfig(file, {}, {});
  if (!loaded.ok) throw new Error(loaded.text);
  const directory = openDataDirectory(temporaryDirectory());
  closing.push(() => directory.release());
  const log = collectingLog();
  const host = await startLocalHost({ config: loaded.config, directory, log, version: '1.2.3' });
  if (!host.ok) throw new Error(host.error.message);
  closing.push(() => host.value.stop());
  return { host: host.value, log };
}

it('pushes the last numbers when it stops', async () => {
  const collector = await startCollector();
  closing.push(collector.close);
  const { host, log } = await hostWith({ endpoint: collector.url, everySeconds: '1h' });
  host.metrics.restarts.inc({}, 7);
  await host.stop();
  expect(collector.received).toHaveLength(1);
  const [{ resource, scopeMetrics }] = collector.received[0]?.body.resourceMetrics ?? [];
  expect(resource.attributes).toContainEqual({ key: 'service.version', value: { stringValue: '1.2.3' } });
  const names = scopeMetrics[0].metrics.map(({ name }: { name: string }) => name);
  expect(names).toContain('poolwright_restarts_total');
  // What has to be asked for is asked for, as for /metrics.
  expect(names).toContain('poolwright_queue_depth');
  expect(log.lines.filter(({ event }) => event.startsWith('metrics.'))).toEqual([]);
});

it('stops all the same when the collector is away', async () => {
  const { host, log } = await hostWith({ endpoint: 'http://127.0.0.1:9', everySeconds: '1h' });
  await host.stop();
  expect(log.lines.map(({ event }) => event)).toContain('host.stopped');
  expect(log.lines.map(({ event }) => event)).toContain('metrics.push.failed');
});
