/**
 * Definitions of other projects, for tests alone: they lie next to the repository, and are not part of it. Under another group, so that
 * several releases and ours are on one server.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeManifest } from '../kube/cluster.ts';

const folder = join(import.meta.dirname, '../../../shared/data/crds');

export const definitionsAreThere = existsSync(folder);
/** For the title of what is skipped without them. */
export const whereDefinitionsAre = '(needs the CRDs of others in ../shared/data/crds)';

export type Definition = KubeManifest & {
  spec: {
    group: string;
    conversion?: unknown;
    names: { plural: string; kind: string; categories?: string[]; shortNames?: string[] };
    versions: { name: string; served: boolean }[];
  };
};

/** @param suffix Behind the group; empty: as it is. */
export function foreignDefinitions(release: string, suffix = ''): Definition[] {
  return globSync('*.yaml', { cwd: join(folder, release) }).map((file) => {
    const { metadata, spec, ...rest } = parse(readFileSync(join(folder, release, file), 'utf8')) as Definition;
    // Their webhooks are not here, and their categories and short names would be taken by two.
    const { categories: _, shortNames: __, ...names } = spec.names;
    const group = `${spec.group}${suffix}`;
    return {
      ...rest,
      metadata: { name: `${names.plural}.${group}`, annotations: metadata.annotations },
      spec: { ...spec, group, names, conversion: { strategy: 'None' } },
    };
  });
}

export const servedVersions = ({ spec }: Definition): string[] =>
  spec.versions.filter(({ served, name }) => served && !name.endsWith('storage')).map(({ name }) => name);
