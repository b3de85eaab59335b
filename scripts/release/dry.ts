/**
 * Makes everything that a release publishes, and publishes nothing: dist/release/ then holds the npm package, the chart, the context of the
 * container image, and their sums.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packChart } from './chart-package.ts';
import { assembleNpmPackage } from './npm-package.ts';

const repository = join(import.meta.dirname, '../..');
const version: string = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version;

/** What has to be said or done by a person before this version can go out. */
export function problemsBefore(version: string, changelog: string, chart: string): string[] {
  const saysSomething = changelog
    .split(/^(?=## )/m)
    .some(
      (section) =>
        [`## [${version}]`, '## [Unreleased]'].some((one) => section.startsWith(one)) && /^- /m.test(section),
    );
  const charts = [...chart.matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, found]) => found);
  return [
    ...(saysSomething ? [] : [`CHANGELOG.md has nothing about ${version}: say what changes for people`]),
    ...(charts.length === 2 && charts.every((one) => one === version)
      ? []
      : [
          `infra/kubernetes/chart/Chart.yaml says ${charts.join(' and ')}, but this is ${version}: run npm run generate`,
        ]),
  ];
}

/** The files that were made, by name. */
export async function releaseInto(folder: string): Promise<Map<string, Buffer>> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const contents = join(folder, 'npm');
  await assembleNpmPackage(contents);
  // npm itself packs: it knows what it will unpack.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: contents, stdio: 'pipe' });
  writeFileSync(join(folder, `poolwright-chart-${version}.tgz`), packChart());
  cpSync(join(repository, 'infra/container/Dockerfile'), join(folder, 'Dockerfile'));
  const made = [`poolwright-${version}.tgz`, `poolwright-chart-${version}.tgz`, 'Dockerfile'];
  const files = new Map(made.map((name) => [name, readFileSync(join(folder, name))]));
  const sums = [...files].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return files;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(repository, 'dist/release') } } });
  const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
  const problems = problemsBefore(version, read('CHANGELOG.md'), read('infra/kubernetes/chart/Chart.yaml'));
  for (const line of problems) console.error(line);
  if (problems.length > 0) process.exit(1);
  const files = await releaseInto(values.out);
  console.log(`Poolwright ${version}, in ${values.out}; nothing was published:`);
  for (const [name, bytes] of files) console.log(`  ${`${(bytes.length / 1024).toFixed(0)} KiB`.padStart(9)}  ${name}`);
}
