import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defined } from '../../../shared/base/defined.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import { type ConfigInput, resolveConfig } from '../../../shared/config/load.ts';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { type Received, startCollector } from '../../../test/stand-ins/otlp-collector.ts';
import { MetricsOut } from './metrics-out.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

function worker(metrics: ConfigInput['metrics'], env: Record<string, string> = {}) {
  const config = resolveConfig({ deployment: 'office', ...defined({ metrics }) });
  if (!config.ok) throw new Error(config.text);
  const clock = manualClock(0);
  const log = collectingLog();
  const functions = { metrics: createMetrics({ clock }), clock, log };
  functions.metrics.restarts.inc();
  const out = new MetricsOut({ next: () => '0123456789' }, clock.now());
  return {
    log,
    functions,
    /** Ends so many calls, each so long after the one before. */
    async calls(count: number, seconds: number, others = functions) {
      for (let call = 0; call < count; call++) {
        clock.advance(seconds * 1000);
        await out.ifDue(others, config.config, env);
      }
    },
  };
}

const restarts = ({ body }: Received) =>
  body.resourceMetrics[0].scopeMetrics[0].metrics.find(
    ({ name }: { name: string }) => name === 'poolwright_restarts_total',
  ).sum.dataPoints[0];

describe('what a call leaves behind', () => {
  it('is pushed where there is a collector, and not logged as well', async () => {
    const { log, calls } = worker({ otlp: { endpoint: collector.url } }, { AWS_LAMBDA_FUNCTION_NAME: 'steps' });
    await calls(6, 20);
    expect(collector.received).toHaveLength(2);
    const attributes = collector.received[0]?.body.resourceMetrics[0].resource.attributes;
    expect(attributes).toContainEqual({ key: 'poolwright.deployment', value: { stringValue: 'office' } });
    expect(attributes).toContainEqual({ key: 'service.instance.id', value: { stringValue: '0123456789' } });
    expect(attributes).toContainEqual({ key: 'faas.name', value: { stringValue: 'steps' } });
    expect(log.lines).toEqual([]);
  });

  it('is pushed where the variables of OpenTelemetry say', async () => {
    const { calls } = worker(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await calls(1, 60);
    expect(collector.received).toHaveLength(1);
  });

  it('is in the log where there is none', async () => {
    const { log, calls } = worker(undefined);
    await calls(1, 60);
    expect(log.lines.map(({ event }) => event)).toEqual(['metrics.reported']);
  });

  it('is in the log, with the reason, where the collector cannot be used', async () => {
    const { log, calls } = worker(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense' });
    await calls(2, 60);
    expect(log.lines.map(({ event }) => event)).toEqual(['metrics.push.failed', 'metrics.reported']);
  });

  it('is counted anew when the services are', async () => {
    const { functions, calls } = worker({ otlp: { endpoint: collector.url } });
    await calls(1, 60);
    await calls(1, 60, { ...functions, metrics: createMetrics({ clock: functions.clock }) });
    expect(collector.received.map(restarts)).toEqual([
      expect.objectContaining({ startTimeUnixNano: '0', asDouble: 1 }),
      expect.objectContaining({ startTimeUnixNano: '60000000000', asDouble: 0 }),
    ]);
  });

  it('fails no call when the collector is away', async () => {
    const { log, calls } = worker({ otlp: { endpoint: collector.url } });
    collector.close();
    await calls(3, 60);
    expect(log.lines.map(({ event }) => event)).toEqual(['metrics.push.failed']);
  });
});
