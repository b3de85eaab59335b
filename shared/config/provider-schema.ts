/** The parts of the schema that the manifests of the providers bring. */
import { z } from 'zod';
import * as fields from '../base/fields.ts';
import { manifests } from '../providers/manifests.ts';

type Manifest = (typeof manifests)[number];
type Names = readonly [string, ...string[]];
type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The fields of all types together; those of one name are the same in every manifest that has them (a test compares). */
type ProviderFields = Merged<ReturnType<Manifest['options']>>;

type Section = Extract<Manifest, { perCluster: unknown }>['perCluster'];
type SectionFields<Name extends string> = Merged<ReturnType<Extract<Section, { section: Name }>['fields']>>;
type ClusterSections = {
  [Name in Section['section']]: z.ZodPrefault<
    z.ZodObject<SectionFields<Name> extends z.ZodRawShape ? SectionFields<Name> : never, z.core.$strict>
  >;
};

export const providerTypes = manifests.map(({ type }) => type) as unknown as Names & readonly Manifest['type'][];

/** Made once: every function makes them at its cold start. */
const fieldsByType = manifests.map((manifest) => ({ type: manifest.type, made: manifest.options(fields) }));

export const providerFields = Object.assign({}, ...fieldsByType.map(({ made }) => made)) as ProviderFields;

/** The names of the fields of each type. */
export const providerFieldNames = fieldsByType.map(({ type, made }) => ({ type, names: Object.keys(made) }));

/** Types may share a section: it has the fields of all of them. */
const sections = new Map<string, z.ZodRawShape>();
for (const manifest of manifests) {
  if (!('perCluster' in manifest)) continue;
  const { section, fields: made } = manifest.perCluster;
  sections.set(section, { ...sections.get(section), ...made(fields) });
}

export const clusterSections = Object.fromEntries(
  [...sections].map(([section, shape]) => [section, z.strictObject(shape).prefault({})]),
) as unknown as ClusterSections;

export const accessKinds = manifests.flatMap((manifest) =>
  'access' in manifest ? [manifest.access.kind] : [],
) as unknown as Names & readonly Extract<Manifest, { access: unknown }>['access']['kind'][];
