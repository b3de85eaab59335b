/** The Helm chart as a package, which `helm install` takes as it is. Its versions are those of package.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tarFolder } from './tar-folder.ts';

const repository = join(import.meta.dirname, '../..');
const chart = join(repository, 'infra/kubernetes/chart');

/** Chart.yaml with the version of the product in both places; its other lines stay as they are. */
export const withVersion = (text: string, version: string): string =>
  text.replace(/^(version|appVersion): .*$/gm, (_, field: string) => `${field}: ${version}`);

export const packChart = (): Buffer => tarFolder(chart, 'poolwright');

/** Chart.yaml in the repository follows package.json: `npm run generate`, which `npm version` calls. */
export function followVersion(version: string): void {
  const file = join(chart, 'Chart.yaml');
  writeFileSync(file, withVersion(readFileSync(file, 'utf8'), version));
}
