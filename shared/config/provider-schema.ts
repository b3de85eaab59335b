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
type ClusterSections = {
  [S in Section as S['section']]: z.ZodPrefault<z.ZodObject<ReturnType<S['fields']>, z.core.$strict>>;
};

export const providerTypes = manifests.map(({ type }) => type) as unknown as Names & readonly Manifest['type'][];

export const providerFields = Object.assign(
  {},
  ...manifests.map((manifest) => manifest.options(fields)),
) as ProviderFields;

export const clusterSections = Object.fromEntries(
  manifests.flatMap((manifest) => {
    if (!('perCluster' in manifest)) return [];
    const { section, fields: made } = manifest.perCluster;
    return [[section, z.strictObject(made(fields)).prefault({})]];
  }),
) as unknown as ClusterSections;

export const accessKinds = manifests.flatMap((manifest) =>
  'access' in manifest ? [manifest.access.kind] : [],
) as unknown as Names & readonly Extract<Manifest, { access: unknown }>['access']['kind'][];
