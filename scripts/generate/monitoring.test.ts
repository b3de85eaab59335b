import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServerMetrics } from '../../functions/hosts/provider/metrics.ts';
import { alertRules } from '../../infra/monitoring/alerts.ts';
import { dashboard, panels, providerDashboard } from '../../infra/monitoring/dashboard.ts';
import { oldNames } from '../../infra/monitoring/old-names.ts';
import { providerAlertRules } from '../../infra/monitoring/provider-alerts.ts';
import { providerPanels } from '../../infra/monitoring/provider-dashboard.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { generatedMonitoring } from './monitoring.ts';

const root = join(import.meta.dirname, '../..');
/** Those of a server of a provider, whose summary has quantiles. */
const ofServer = Object.values(createServerMetrics()).flatMap((one) =>
  typeof one === 'object' && 'labelNames' in one
    ? [{ name: String(Reflect.get(one, 'name')), labels: [...(one.labelNames as string[]), 'quantile'] }]
    : [],
);
const metrics = new Map(
  [...createMetrics().describe(), ...ofServer].map((metric): [string, { labels: readonly string[] }] => [
    metric.name,
    metric,
  ]),
);
/** As samples are named. */
const familyOf = (sample: string) => metrics.get(sample) ?? metrics.get(sample.replace(/_(bucket|sum|count)$/, ''));

const queries = [
  ...[...alertRules, ...providerAlertRules].map(({ alert, expr }) => [alert, expr] as const),
  ...[...panels, ...providerPanels].flatMap(({ title, queries }) =>
    Object.values(queries).map((expr) => [title, expr] as const),
  ),
];

it('alerts and dashboard are up to date: run `npm run generate`', () => {
  for (const [path, content] of generatedMonitoring()) {
    expect(readFileSync(join(root, path), 'utf8')).toBe(content);
  }
});

describe.each(queries)('%s: %s', (_name, expr) => {
  const names = [...expr.matchAll(/\b(?:karpenter|poolwright|provider|cluster_(?:ready|provisioning))_\w+/g)].map(
    ([name]) => name,
  );

  it('asks for metrics that exist', () => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => familyOf(name) === undefined)).toEqual([]);
  });

  // What one side of an operator has, the other may lack: it would be grouped by a label that is never there.
  it.each(expr.split(/ (?:and|or|unless) /))('filters and groups by labels that its metrics have: %s', (side) => {
    const own = names.filter((name) => side.includes(name));
    const labels = new Set(own.flatMap((name) => [...(familyOf(name)?.labels ?? []), 'le']));
    const used = [
      ...[...side.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',').map((one) => one.trim())),
      ...[...side.matchAll(/[{,](\w+)=~?"/g)].map(([, label = '']) => label),
    ];
    expect(used.filter((label) => !labels.has(label))).toEqual([]);
  });
});

it('alerts name labels that their query keeps, and pages that exist', () => {
  for (const { expr, summary, page } of [...alertRules, ...providerAlertRules]) {
    for (const [, label = ''] of summary.matchAll(/\$labels\.(\w+)/g)) expect(expr).toContain(label);
    expect(existsSync(join(root, 'docs', page))).toBe(true);
  }
});

it('there are alerts for a read-only cluster, one that does not answer, and a workflow that was set aside', () => {
  const described = alertRules.map(({ description }) => description).join('\n');
  for (const line of ['owner.read-only', 'cluster.unreachable', 'workflow.set-aside'])
    expect(described).toContain(line);
});

describe.each(oldNames.filter(({ record }) => !record.includes('voluntary_disruption')))(
  'the old name $record',
  ({ record, expr }) => {
    it('is none of today, and stands for what is', () => {
      expect(familyOf(record)).toBeUndefined();
      const names = [...expr.matchAll(/\b(?:karpenter|poolwright|cluster_ready)_\w+/g)].map(([name]) => name);
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => familyOf(name) === undefined)).toEqual([]);
    });
  },
);

it.each([dashboard(), providerDashboard()])('panels of the dashboard $title do not overlap', ({ panels: placed }) => {
  const cells = placed.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
