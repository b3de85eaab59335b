/** Bundles hold others' code, and their licenses ask to be handed on with it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The folders of the packages whose files are in the bundles. */
export function packagesIn(metafiles: readonly Metafile[]): string[] {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** One text with the name, version and license of each. A package that names none can't be given away, and is thrown out. */
export function noticesOf(repository: string, packages: readonly string[]): string {
  const seen = new Map<string, string>();
  for (const folder of packages) {
    const { name, version, license } = manifestOf(join(repository, folder));
    if (license === undefined) throw new Error(`${name} ${version} names no license: it must not be in the bundle`);
    const files = globSync('{LICEN[CS]E,NOTICE,license,notice,COPYING}*', { cwd: join(repository, folder) }).sort();
    const texts = files.map((file) => readFileSync(join(repository, folder, file), 'utf8').trim());
    seen.set(`${name} ${version}`, [`${name} ${version} (${license})`, ...texts].join('\n\n'));
  }
  const all = [...seen.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `Poolwright holds code of these packages, under their own licenses.\n\n${all.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function manifestOf(folder: string): { name: string; version: string; license: string | undefined } {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  // Old packages have a list of objects instead of a word.
  const [first] = Array.isArray(manifest.licenses) ? (manifest.licenses as { type?: string }[]) : [];
  const license = typeof manifest.license === 'string' ? manifest.license : first?.type;
  return { name: String(manifest.name), version: String(manifest.version), license };
}
