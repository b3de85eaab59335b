/**
 * The npm package: the command line as bundles that need no node_modules, so that `npx poolwright` fetches one small file, and the
 * files that it reads. Nothing else of the repository is in it.
 */

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deployedProviders } from '../../shared/providers/deployed.ts';
import { buildBridge, buildCommandLine, problemsOf } from '../package/build.ts';
import { engines } from '../package/engines.ts';
import { noticesOf, packagesIn } from './notices.ts';

const repository = join(import.meta.dirname, '../..');

/** Read by the command at run time, or by people who have only the package. */
const files = ['LICENSE', 'infra/kubernetes/crds', 'infra/kubernetes/rbac', 'docs/examples'] as const;

/** Pages that commands name. */
const pages = [
  'docs/reference/errors.md',
  'docs/configuration.md',
  'docs/aws-rights.md',
  'docs/azure-rights.md',
  'docs/cloudstack-rights.md',
  'docs/rights.md',
  ...deployedProviders.map(({ type }) => `docs/providers/${type}.md`),
  'docs/providers/sim.md',
] as const;

/** What stands in ours and has a meaning for those who install it. */
const handedOn = ['name', 'version', 'description', 'keywords', 'license', 'type'] as const;

/** Makes the folder that is packed. */
export async function assembleNpmPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const built = [await buildCommandLine(join(folder, 'dist')), await buildBridge(join(folder, 'dist'))];
  // The command line brings the simulators on purpose; a library that is not there is a mistake in every bundle.
  const missing = built.flatMap(problemsOf).filter((problem) => problem.includes('not in the bundle'));
  if (missing.length > 0) throw new Error(missing.join('\n'));
  for (const file of files) cpSync(join(repository, file), join(folder, file), { recursive: true });
  // The repository's own begins with a clone; whoever has the package has none.
  cpSync(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'));
  const shown = ['CHANGELOG.md', ...pages];
  for (const page of shown) cpSync(join(repository, page), join(folder, page));
  for (const page of shown) {
    const text = readFileSync(join(folder, page), 'utf8');
    writeFileSync(join(folder, page), withoutDeadLinks(text, dirname(join(folder, page))));
  }
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(repository, packagesIn(built)));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** Other pages of the repository are not in the package: where a link would lead to one, its words stay. */
const withoutDeadLinks = (text: string, folder: string): string =>
  text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, words: string, target: string) =>
    /^(https?:|#)/.test(target) || existsSync(join(folder, target.replace(/#.*/, ''))) ? link : words,
  );

function manifest(): object {
  const ours = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Record<string, unknown>;
  const bin = Object.fromEntries(
    Object.keys(ours.bin as object)
      .filter((name) => name.includes('poolwright'))
      .map((name) => [name, 'dist/poolwright.js']),
  );
  return { ...Object.fromEntries(handedOn.map((field) => [field, ours[field]])), engines, bin };
}
