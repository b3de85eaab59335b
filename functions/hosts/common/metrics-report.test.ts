import { expect, it } from 'vitest';
import { collectingLog } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { MetricsReport } from './metrics-report.ts';

it('writes what has changed, at most once a minute', async () => {
  let now = 0;
  const log = collectingLog();
  const metrics = createMetrics({ version: 'test' });
  const report = new MetricsReport('w1', now);
  const after = async (seconds: number) => {
    now += seconds * 1000;
    await report.ifDue({ metrics, log, clock: { now: () => now, monotonic: () => now } });
    return log.lines.splice(0).map(({ fields }) => fields);
  };
  metrics.nodesCreated.inc({ nodepool: 'gpu' });
  metrics.stepDuration.observe({ activity: 'choose', outcome: 'completed' }, 2);
  expect(await after(59)).toEqual([]);
  const [first] = await after(1);
  expect(first).toMatchObject({
    worker: 'w1',
    samples: {
      'karpenter_nodes_created_total{nodepool="gpu"}': 1,
      'poolwright_step_duration_seconds_sum{activity="choose",outcome="completed"}': 2,
      'poolwright_step_duration_seconds_count{activity="choose",outcome="completed"}': 1,
    },
  });
  expect(JSON.stringify(first)).not.toContain('_bucket');
  expect(await after(60)).toEqual([]);
  metrics.nodesCreated.inc({ nodepool: 'gpu' });
  expect(await after(60)).toEqual([{ worker: 'w1', samples: { 'karpenter_nodes_created_total{nodepool="gpu"}': 2 } }]);
});
