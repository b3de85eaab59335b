/** The functions for AWS, as they are deployed, beside a collector of OpenTelemetry. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { awsEntries, buildAwsEntries, provisionerEntry } from '../../../scripts/package/build.ts';
import { startCollector } from '../../stand-ins/otlp-collector.ts';
import { type AwsHostWorld, startAwsHostWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-aws-push-'));
const entries = [...awsEntries().filter(({ name }) => /^(http|watch-events)$/.test(name)), provisionerEntry('sim')];
let collector: Awaited<ReturnType<typeof startCollector>>;
let world: AwsHostWorld;

beforeAll(async () => {
  collector = await startCollector();
  await buildAwsEntries(folder, entries);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hunter2',
    AWS_LAMBDA_FUNCTION_NAME: 'poolwright-office-http',
  };
  world = await startAwsHostWorld({ folder, env, config: { metrics: { otlp: { everySeconds: 0 } } } });
});
afterAll(async () => {
  await world?.close();
  collector?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('push at the end of a call, before its answer', async () => {
  // A push has little time, and here everything shares one machine: one that was too slow is said, and made up for by a later call.
  for (;;) {
    expect(await world.http('GET', '/v1/clusters')).toMatchObject({ status: 200 });
    if (collector.received.length > 0) break;
    await expect.poll(world.said).toContain('metrics.push.failed');
  }
  const { headers, body } = collector.received[0] ?? {};
  expect(headers).toMatchObject({ 'x-key': 'hunter2' });
  expect(body.resourceMetrics[0].resource.attributes).toContainEqual({
    key: 'faas.name',
    value: { stringValue: expect.any(String) },
  });
  expect(world.said()).not.toContain('hunter2');
  expect(world.said()).not.toContain('metrics.reported');
});

it('count a step for the function that ran it, also when the step does not name the type of its provider', async () => {
  const payload = { id: 'sim/u/launch/1', execution: 1, input: { provider: 'sim' } };
  await world.functions.call('provision-sim', { activity: 'choose', payload });
  const pushed = () => JSON.stringify(collector.received.map(({ body }) => body));
  await expect.poll(pushed).toContain('poolwright_step_duration_seconds');
  expect(pushed()).toContain('{"key":"function","value":{"stringValue":"provision-sim"}}');
  expect(pushed()).not.toContain('{"key":"function","value":{"stringValue":"steps"}}');
});

it('load what pushes only where there is a collector', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mjs'));
  const holding = files.filter((file) => readFileSync(join(folder, file), 'utf8').includes('aggregationTemporality'));
  expect(holding.length).toBeGreaterThan(0);
  for (const file of holding) {
    const name = file.split(/[/\\]/).at(-1) ?? '';
    const eager = files.filter((other) =>
      new RegExp(`(from|import)\\s*["'][^"']*${name.replace('.', '\\.')}["']`).test(
        readFileSync(join(folder, other), 'utf8'),
      ),
    );
    expect(eager).toEqual([]);
  }
});
