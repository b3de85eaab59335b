import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bridgeMetrics } from '../../functions/hosts/bridge/probes.ts';
import { removalWords } from '../../shared/nodes/pools/remove-claims.ts';
import { metricReason } from '../../shared/observe/metric-reasons.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { metricsDocs, metricsPage } from './metrics-docs.ts';

it('is what docs/reference/metrics.md says (npm run generate brings it up to date)', () => {
  expect(readFileSync(metricsPage, 'utf8')).toBe(metricsDocs());
});

it('has every metric that is exposed', async () => {
  const metrics = createMetrics();
  const exposed = [...(await metrics.expose()).text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({
    name,
    type,
  }));
  expect(exposed.length).toBeGreaterThan(20);
  expect(metrics.describe().map(({ name, type }) => ({ name, type }))).toEqual(exposed);
});

it('names every reason for which a pool ends a claim', () => {
  const page = metricsDocs();
  for (const reason of Object.keys(removalWords)) expect(page).toContain(`\`${metricReason(reason)}\``);
});

it('has every metric that a bridge exposes', () => {
  const page = metricsDocs();
  expect(bridgeMetrics.length).toBeGreaterThan(3);
  for (const { name, type } of bridgeMetrics) expect(page).toContain(`| \`${name}\` | ${type} |`);
});

it.each([...createMetrics().describe(), ...bridgeMetrics])('says of $name what it means', ({ help }) => {
  expect(help).toMatch(/^[A-Z0-9].*\.$/);
  expect(help).not.toContain('|');
});
