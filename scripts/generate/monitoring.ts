/** Writes the alerts, the dashboard and the rules for old names, for everyone (infra/monitoring/) and for the chart, which can read only what is in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { alertGroups } from '../../infra/monitoring/alerts.ts';
import { dashboard, providerDashboard } from '../../infra/monitoring/dashboard.ts';
import { oldNameGroups } from '../../infra/monitoring/old-names.ts';

const root = join(import.meta.dirname, '../..');
const places = ['infra/monitoring', 'infra/kubernetes/chart/files/monitoring'];

/** By the path in the repository. */
export function generatedMonitoring(): ReadonlyMap<string, string> {
  const rules = (source: string, groups: object): string =>
    `# Made by \`npm run generate\` from infra/monitoring/${source}.\n${stringify(groups, { lineWidth: 0 })}`;
  const alerts = rules('alerts.ts', alertGroups());
  const names = rules('old-names.ts', oldNameGroups());
  const board = `${JSON.stringify(dashboard(), null, 2)}\n`;
  const providers = `${JSON.stringify(providerDashboard(), null, 2)}\n`;
  return new Map(
    places.flatMap((place) => [
      [`${place}/alerts.yaml`, alerts],
      [`${place}/dashboard.json`, board],
      [`${place}/provider-dashboard.json`, providers],
      [`${place}/old-names.yaml`, names],
    ]),
  );
}

if (import.meta.main) {
  for (const [path, content] of generatedMonitoring()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
