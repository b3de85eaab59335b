/** No field that Karpenter's own definition of AKSNodeClass has is dropped by ours: it is supported, or refused by a rule. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  default?: unknown;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
};
type Definition = { spec: { versions: { name: string; served: boolean; schema: { openAPIV3Schema: Schema } }[] } };

const file = 'karpenter.azure.com_aksnodeclasses.yaml';
const repository = join(import.meta.dirname, '../..');
const ours = join(repository, 'infra/kubernetes/crds', file);
const theirs = join(repository, '../shared/data/crds/karpenter-azure-1.14.2', file);

const read = (path: string): Definition => parse(readFileSync(path, 'utf8')) as Definition;
const specOf = ({ schema }: Definition['spec']['versions'][number]): Schema =>
  schema.openAPIV3Schema.properties?.spec ?? {};

function missing(upstream: Schema, own: Schema | undefined, path: string): string[] {
  if (own === undefined) return [path];
  if (own['x-kubernetes-preserve-unknown-fields'] === true) return [];
  return [
    ...Object.entries(upstream.properties ?? {}).flatMap(([name, field]) =>
      missing(field, own.properties?.[name], `${path}.${name}`),
    ),
    ...(upstream.items === undefined ? [] : missing(upstream.items, own.items, `${path}[]`)),
  ];
}

// The definitions of others are next to the repository, and in no copy of it.
describe.skipIf(!existsSync(theirs))('AKSNodeClass', () => {
  it('has every version and every field of the definition of Karpenter 1.14.2', () => {
    const served = Object.fromEntries(read(ours).spec.versions.map((one) => [one.name, one]));
    for (const version of read(theirs).spec.versions.filter((one) => one.served)) {
      const own = served[version.name];
      expect(own, `${version.name} is served`).toMatchObject({ served: true });
      expect(missing(specOf(version), own && specOf(own), 'spec')).toEqual([]);
    }
  });
});
