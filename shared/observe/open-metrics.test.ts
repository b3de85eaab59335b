import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { prefersOpenMetrics } from './open-metrics.ts';

describe('OpenMetrics', () => {
  it('has families, samples and an end as the format asks for them', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    metrics.nodesCreated.inc({ nodepool: 'a "quoted"\nname\\', zone: 'z' });
    metrics.nodeTerminationDuration.observe({ nodepool: 'a' }, 2);
    const { contentType, text } = await metrics.expose('open-metrics');
    const lines = text.split('\n');

    expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(lines.slice(-2)).toEqual(['# EOF', '']);
    expect(lines.filter((line) => line === '')).toHaveLength(1);
    expect(lines).toContain('# TYPE karpenter_nodes_created counter');
    expect(lines).toContain('karpenter_nodes_created_total{nodepool="a \\"quoted\\"\\nname\\\\",zone="z"} 1');
    expect(lines).toContain('karpenter_nodes_termination_duration_seconds{quantile="0.5",nodepool="a"} 2');
    expect(lines).toContain('karpenter_nodes_termination_duration_seconds_count{nodepool="a"} 1');
    // Every counter has the ending that the format asks for.
    for (const { name, type } of metrics.describe()) if (type === 'counter') expect(name).toMatch(/_total$/);
  });

  it('leaves the other form as it was', async () => {
    const metrics = createMetrics();
    const before = (await metrics.expose()).text;
    await metrics.expose('open-metrics');
    expect((await metrics.expose()).text).toBe(before);
  });

  it.each([
    [undefined, false],
    ['*/*', false],
    ['text/plain', false],
    ['application/openmetrics-text', true],
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      true,
    ],
    ['application/openmetrics-text;q=0.2, text/plain;q=0.9', false],
    ['application/openmetrics-text;q=0', false],
    ['application/openmetrics-text;q=nonsense', false],
  ])('is what a scraper that accepts %s gets: %s', (accept, wanted) => {
    expect(prefersOpenMetrics(accept)).toBe(wanted);
  });
});
