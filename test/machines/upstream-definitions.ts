/** VirtRigaud's own definitions and samples, for tests alone: they lie next to the repository, and are not part of it. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const data = join(import.meta.dirname, '../../../shared/data');
const definitionFolder = join(data, 'crds/virtrigaud-0.3.11');
const sampleFolder = join(data, 'samples/virtrigaud');

export const upstreamIsThere = existsSync(definitionFolder) && existsSync(sampleFolder);
/** For the title of what is skipped without them. */
export const whereUpstreamIs = '(needs the CRDs and samples of VirtRigaud in ../shared/data)';

export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  required?: string[];
  enum?: unknown[];
  allOf?: Schema[];
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
}

export interface Definition {
  kind: string;
  metadata: { name: string };
  spec: { group: string; names: { kind: string }; versions: { schema: { openAPIV3Schema: Schema } }[] };
}

export const upstreamDefinitions = (): Definition[] =>
  globSync('*.yaml', { cwd: definitionFolder }).map((file) =>
    parse(readFileSync(join(definitionFolder, file), 'utf8')),
  );

export interface Sample {
  file: string;
  object: { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } };
}

/** Every object of the samples that is of a kind of VirtRigaud. */
export const samples = (): Sample[] =>
  globSync('*.yaml', { cwd: sampleFolder }).flatMap((file) =>
    parseAllDocuments(readFileSync(join(sampleFolder, file), 'utf8'))
      .map((document) => document.toJS() as Sample['object'] | null)
      .filter((object) => object?.apiVersion?.startsWith('infra.virtrigaud.io/') === true)
      .map((object) => ({ file, object: object! })),
  );

/** Samples of an older API: VirtRigaud's own definitions refuse them too. */
export const outdatedSamples: readonly string[] = [
  'VMClass/small',
  'VMClass/medium',
  'VMImage/ubuntu-22',
  'VMImage/centos-stream-9',
  'VMNetworkAttachment/lan-network',
  'VMNetworkAttachment/multi-nic-network',
  'VMPlacementPolicy/production-policy',
  'VMClone/web-server-01-test-clone',
  'VirtualMachine/demo-web-01',
  'VirtualMachine/ubuntu-jammy-vm',
];
