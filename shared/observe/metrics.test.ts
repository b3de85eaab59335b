import { describe, expect, it } from 'vitest';
import { metricReason } from './metric-reasons.ts';
import { boundedLabels, createMetrics } from './metrics.ts';

async function exposed(metrics = createMetrics({ version: '1.2.3' })): Promise<string[]> {
  return (await metrics.expose()).text.split('\n').filter((line) => line !== '');
}

describe('the metrics', () => {
  it.each([
    'karpenter_nodeclaims_created_total',
    'karpenter_nodeclaims_terminated_total',
    'karpenter_nodeclaims_disrupted_total',
    'karpenter_nodeclaims_instance_termination_duration_seconds',
    'karpenter_nodeclaims_termination_duration_seconds',
    'karpenter_nodes_created_total',
    'karpenter_nodes_terminated_total',
    'karpenter_nodes_drained_total',
    'karpenter_cloudprovider_duration_seconds',
    'karpenter_cloudprovider_errors_total',
    'karpenter_pods_eviction_requests_total',
    'karpenter_build_info',
    'poolwright_queue_depth',
    'poolwright_queue_oldest_age_seconds',
    'poolwright_dead_letters',
    'poolwright_workflows',
    'poolwright_step_duration_seconds',
    'poolwright_workflow_mismatches_total',
    'poolwright_workflows_set_aside_total',
    'poolwright_restarts_total',
    'poolwright_offerings_unavailable',
    'poolwright_garbage_collected_total',
    'poolwright_claims',
    'poolwright_launches_failed_total',
  ])('have %s', async (name) => {
    expect((await exposed()).some((line) => line.startsWith(`# TYPE ${name} `))).toBe(true);
  });

  it('are a valid exposition: every sample belongs to a declared family and has a number', async () => {
    const metrics = createMetrics();
    metrics.nodeClaimsCreated.inc({ reason: 'a "quoted"\nline\\', nodepool: 'p' });
    metrics.stepDuration.observe({ activity: 'a', outcome: 'ok' }, 0.2);
    metrics.providerCallDuration.observe({ controller: 'launch', method: 'beginCreate', provider: 'sim' }, 2);
    const lines = await exposed(metrics);
    const families = new Set(lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2]));
    const samples = lines.filter((line) => !line.startsWith('#'));
    expect(samples.length).toBeGreaterThan(10);
    for (const sample of samples) {
      const match = /^([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? (\d+(\.\d+)?(e-?\d+)?|\+Inf)$/.exec(sample);
      expect(match, sample).not.toBeNull();
      expect(families).toContain(match?.[1]?.replace(/_(bucket|sum|count)$/, ''));
    }
  });

  it('count apart from each other', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.restarts.inc();
    expect(await exposed(one)).toContain('poolwright_restarts_total 1');
    expect(await exposed(two)).toContain('poolwright_restarts_total 0');
  });

  it('are filled when somebody looks, and one that fails does not spoil the rest', async () => {
    const metrics = createMetrics();
    metrics.collectors.add(() => {
      throw new Error('no database');
    });
    metrics.collectors.add(async () => metrics.queueDepth.set({ queue: 'claims' }, 3));
    expect(await exposed(metrics)).toContain('poolwright_queue_depth{queue="claims"} 3');
  });

  it('say what is running', async () => {
    expect((await exposed()).find((line) => line.startsWith('karpenter_build_info{'))).toContain('version="1.2.3"');
  });

  it('have no label that could hold a name of a claim, a node or an instance', () => {
    const labels = createMetrics()
      .describe()
      .flatMap((metric) => metric.labels);
    expect(labels.length).toBeGreaterThan(20);
    expect(labels.filter((label) => /^(claim|node|instance|uid|name|provider_?id|workflow_?id)$/i.test(label))).toEqual(
      [],
    );
  });

  it('never grow with the names that users make up', () => {
    const label = boundedLabels(2);
    expect([undefined, '', 'a', 'b', 'c', 'a'].map(label)).toEqual(['none', 'none', 'a', 'b', 'other', 'a']);
    expect(boundedLabels(1)('x'.repeat(1000))).toHaveLength(128);
  });

  it('have the reasons that Karpenter has', () => {
    const codes = ['Expired', 'NodePoolDrifted', 'NodeClassDrifted', 'InsufficientCapacity', 'NodeClassNotReady'];
    expect([...codes, 'spot_interrupted'].map(metricReason)).toEqual([
      'expired',
      'drifted',
      'drifted',
      'insufficient_capacity',
      'nodeclass_not_ready',
      'spot_interrupted',
    ]);
  });

  it('forget what a cluster had before and has no longer, and nothing of another', async () => {
    const metrics = createMetrics();
    const usage = (cluster: string, nodepool: string) => ({
      labels: { cluster, nodepool, resource_type: 'cpu' },
      value: 1,
    });
    metrics.poolUsage.replace('a', [usage('a', 'one'), usage('a', 'two')]);
    metrics.poolUsage.replace('b', [usage('b', 'one')]);
    metrics.poolUsage.replace('a', [usage('a', 'two')]);
    const samples = (await exposed(metrics)).filter((line) => line.startsWith('karpenter_nodepools_usage{'));
    expect(samples).toEqual([
      'karpenter_nodepools_usage{cluster="a",nodepool="two",resource_type="cpu"} 1',
      'karpenter_nodepools_usage{cluster="b",nodepool="one",resource_type="cpu"} 1',
    ]);
  });
});
