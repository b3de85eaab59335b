/** The parts of the schema that the manifests of the providers bring. */
import * as fields from '../base/fields.ts';
import type * as z from '../base/schemas.ts';
import type { OptionFields, ProviderManifest } from '../providers/manifest.ts';
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
  [Name in Section['section']]: z.ZodMiniPrefault<
    z.ZodMiniObject<SectionFields<Name> extends z.core.$ZodShape ? SectionFields<Name> : never, z.core.$strict>
  >;
};

export const providerTypes = manifests.map(({ type }) => type) as unknown as Names & readonly Manifest['type'][];

/** Made once: every function makes them at its cold start. */
const fieldsByType = (manifests as readonly ProviderManifest[]).map(({ type, options, perCluster }) => ({
  type,
  made: options(fields),
  section: perCluster?.section,
  ofSection: perCluster?.fields(fields) ?? {},
}));

export const providerFields = Object.assign({}, ...fieldsByType.map(({ made }) => made)) as ProviderFields;

/** The names of the fields of each type, and of those that it has in its section of a cluster. */
export const providerFieldNames = fieldsByType.map(({ type, made, ofSection }) => ({
  type,
  names: Object.keys(made),
  ofSection: Object.keys(ofSection),
}));

/** Types may share a section: it has the fields of all of them. */
const sections = new Map<string, OptionFields>();
for (const { section, ofSection } of fieldsByType) {
  if (section !== undefined) sections.set(section, { ...sections.get(section), ...ofSection });
}

export const clusterSections = Object.fromEntries(
  [...sections].map(([section, shape]) => [section, fields.section(shape)]),
) as unknown as ClusterSections;

export const accessKinds = manifests.flatMap((manifest) =>
  'access' in manifest ? [manifest.access.kind] : [],
) as unknown as Names & readonly Extract<Manifest, { access: unknown }>['access']['kind'][];
