import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { karpenterMetrics } from './karpenter-metrics.ts';

const ours = new Map(
  createMetrics()
    .describe()
    .map((metric) => [metric.name, metric]),
);
/** Of the provider for AWS, whose list is another one. */
const ofProviders = /^karpenter_interruption_/;

describe("Karpenter's metrics", () => {
  it.each(Object.entries(karpenterMetrics))('%s is as upstream has it, or missing on purpose', (name, what) => {
    const found = ours.get(name);
    if (typeof what === 'string') return expect(found).toBeUndefined();
    expect(found?.type).toBe(what.type);
    expect(found?.labels).toEqual(expect.arrayContaining([...what.labels]));
    for (const label of Object.keys(what.without ?? {})) expect(found?.labels).not.toContain(label);
  });

  it('are the only ones under that prefix', () => {
    const unknown = [...ours.keys()].filter((name) => name.startsWith('karpenter_') && !ofProviders.test(name));
    expect(unknown.filter((name) => !Object.hasOwn(karpenterMetrics, name))).toEqual([]);
  });

  it('have every metric of the capacity dashboard that does not count pods', () => {
    const dashboard = [
      'karpenter_voluntary_disruption_decisions_total',
      'karpenter_nodes_created_total',
      'karpenter_nodes_terminated_total',
      'karpenter_nodes_allocatable',
      'karpenter_nodes_system_overhead',
      'karpenter_nodepools_usage',
      'karpenter_nodepools_limit',
    ];
    expect(dashboard.filter((name) => !ours.has(name))).toEqual([]);
  });
});
