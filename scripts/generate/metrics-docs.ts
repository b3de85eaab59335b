/** Writes docs/reference/metrics.md from the metrics themselves. Run it after a change to shared/observe/metrics.ts; a test fails meanwhile. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bridgeMetrics } from '../../functions/hosts/bridge/probes.ts';
import { createMetrics, type MetricDescription } from '../../shared/observe/metrics.ts';
import { missingMetrics } from './karpenter-metrics.ts';
import { bridgeIntro, metricsEnd, metricsIntro } from './metrics-texts.ts';

export const metricsPage = join(import.meta.dirname, '../../docs/reference/metrics.md');

export function metricsDocs(): string {
  const all = createMetrics().describe();
  const isKarpenters = ({ name }: MetricDescription): boolean => name.startsWith('karpenter_');
  return [
    metricsIntro,
    "## Under Karpenter's names",
    table(all.filter(isKarpenters)),
    '## Our own',
    table(all.filter((metric) => !isKarpenters(metric))),
    "## The bridge's",
    bridgeIntro,
    table(bridgeMetrics),
    missingTable(),
    metricsEnd,
  ].join('\n\n');
}

function missingTable(): string {
  const rows = missingMetrics().map(
    ({ names, why }) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${why} |`,
  );
  return [
    '## Not there, and why',
    '',
    'PromQL reads an absent label as an empty one. Gauges about nodes, NodePools and the state have the label `cluster` in addition, because one host may serve several clusters.',
    '',
    '| of Karpenter | why |',
    '|---|---|',
    ...rows,
  ].join('\n');
}

function table(metrics: readonly MetricDescription[]): string {
  const rows = metrics.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ') || '–'} | ${help} |`,
  );
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

if (import.meta.main) {
  mkdirSync(dirname(metricsPage), { recursive: true });
  writeFileSync(metricsPage, metricsDocs());
}
