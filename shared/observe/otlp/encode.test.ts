import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { encodeMetrics } from './encode.ts';

const startedAt = Date.UTC(2026, 0, 1);
const start = '1767225600000000000';
const time = '1767225660000000000';

interface Encoded {
  resourceMetrics: [
    { resource: unknown; scopeMetrics: [{ scope: unknown; metrics: { name: string; [key: string]: unknown }[] }] },
  ];
}

interface Distribution {
  count: string;
  bucketCounts: string[];
  explicitBounds: number[];
}

async function encoded(metrics: Metrics): Promise<Encoded> {
  const options = { resource: { 'service.name': 'poolwright' }, version: '1.2.3', startedAt, now: startedAt + 60_000 };
  // As it travels.
  return JSON.parse(JSON.stringify(encodeMetrics(await metrics.families(), options)));
}

const metric = async (metrics: Metrics, wanted: string) =>
  (await encoded(metrics)).resourceMetrics[0].scopeMetrics[0].metrics.find(({ name }) => name === wanted);

async function distributions(metrics: Metrics, wanted: string) {
  const found = await metric(metrics, wanted);
  if (found === undefined) throw new Error(`there is no ${wanted}`);
  return (found.histogram as { dataPoints: Distribution[] }).dataPoints;
}

const fresh = () => createMetrics({ clock: manualClock(startedAt) });

describe('metrics in the form of OTLP', () => {
  it('say who counts', async () => {
    const [{ resource, scopeMetrics }] = (await encoded(fresh())).resourceMetrics;
    expect(resource).toEqual({ attributes: [{ key: 'service.name', value: { stringValue: 'poolwright' } }] });
    expect(scopeMetrics[0].scope).toEqual({ name: 'poolwright', version: '1.2.3' });
  });

  it('have counters as cumulative sums since the start', async () => {
    const metrics = fresh();
    metrics.nodesCreated.inc({ nodepool: 'gpu' }, 3);
    expect(await metric(metrics, 'karpenter_nodes_created_total')).toEqual({
      name: 'karpenter_nodes_created_total',
      description: 'Nodes that joined for a NodeClaim.',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            attributes: [{ key: 'nodepool', value: { stringValue: 'gpu' } }],
            startTimeUnixNano: start,
            timeUnixNano: time,
            asDouble: 3,
          },
        ],
      },
    });
  });

  it('have gauges as they stand, without what is no number', async () => {
    const metrics = fresh();
    metrics.queueOldestAge.set({ queue: 'events' }, 1.5);
    metrics.queueOldestAge.set({ queue: 'broken' }, Number.NaN);
    expect(await metric(metrics, 'poolwright_queue_oldest_age_seconds')).toMatchObject({
      unit: 's',
      gauge: { dataPoints: [{ timeUnixNano: time, asDouble: 1.5 }] },
    });
  });

  it('have histograms with counts between the bounds', async () => {
    const metrics = fresh();
    for (const seconds of [0.3, 0.5, 3, 100_000])
      metrics.nodeClaimTerminationDuration.observe({ nodepool: 'a' }, seconds);
    metrics.nodeClaimTerminationDuration.observe({ nodepool: 'b' }, 1);
    const dataPoints = await distributions(metrics, 'karpenter_nodeclaims_termination_duration_seconds');
    expect(dataPoints).toHaveLength(2);
    expect(dataPoints[0]).toMatchObject({
      attributes: [{ key: 'nodepool', value: { stringValue: 'a' } }],
      startTimeUnixNano: start,
      timeUnixNano: time,
      count: '4',
      sum: 100_003.8,
      explicitBounds: [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192],
      bucketCounts: ['2', '0', '0', '1', ...Array.from({ length: 11 }, () => '0'), '1'],
    });
    expect(dataPoints[1]).toMatchObject({ count: '1', sum: 1 });
  });

  it('have summaries with their quantiles', async () => {
    const metrics = fresh();
    for (const seconds of [1, 2, 3]) metrics.nodeTerminationDuration.observe({ nodepool: 'a' }, seconds);
    expect(await metric(metrics, 'karpenter_nodes_termination_duration_seconds')).toMatchObject({
      unit: 's',
      summary: {
        dataPoints: [
          {
            attributes: [{ key: 'nodepool', value: { stringValue: 'a' } }],
            startTimeUnixNano: start,
            count: '3',
            sum: 6,
            quantileValues: expect.arrayContaining([
              { quantile: 0.5, value: 2 },
              { quantile: 1, value: 3 },
            ]),
          },
        ],
      },
    });
  });

  it('leave out what has no sample yet', async () => {
    expect(await metric(fresh(), 'karpenter_nodes_created_total')).toBeUndefined();
  });

  test.prop([fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 50 })])(
    'have as many in the buckets as were counted',
    async (seconds) => {
      const metrics = fresh();
      for (const one of seconds) metrics.stageDuration.observe({ stage: 'launched', provider: 'sim' }, one);
      const [point] = await distributions(metrics, 'poolwright_claim_stage_duration_seconds');
      if (point === undefined) throw new Error('there is no point');
      expect(point.bucketCounts).toHaveLength(point.explicitBounds.length + 1);
      expect(point.bucketCounts.every((count) => Number(count) >= 0)).toBe(true);
      expect(point.bucketCounts.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(point.count));
      expect(Number(point.count)).toBe(seconds.length);
    },
  );
});
