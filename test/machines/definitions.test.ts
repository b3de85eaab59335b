/** Our definitions accept everything that VirtRigaud's accept. */
import { describe, expect, it } from 'vitest';
import { toCrd } from '../../shared/kube/crds/crd.ts';
import { machineDefinitions } from '../../shared/machines/api/definitions.ts';
import { machineApiVersion } from '../../shared/machines/api/kinds.ts';
import {
  type Definition,
  type Schema,
  upstreamDefinitions,
  upstreamIsThere,
  whereUpstreamIs,
} from './upstream-definitions.ts';

const ours = new Map(
  machineDefinitions.map((one) => {
    const crd = toCrd(one, '0.0.0') as unknown as Definition;
    return [crd.metadata.name, crd.spec.versions[0]!.schema.openAPIV3Schema];
  }),
);

describe('the definitions of virtual machines', () => {
  it('are ten, namespaced, and of one version', () => {
    expect(machineDefinitions.map(({ kind }) => kind).sort()).toEqual([
      'Provider',
      'VMClass',
      'VMClone',
      'VMImage',
      'VMMigration',
      'VMNetworkAttachment',
      'VMPlacementPolicy',
      'VMSet',
      'VMSnapshot',
      'VirtualMachine',
    ]);
    for (const one of machineDefinitions) {
      expect(`${one.group}/${one.version}`).toBe(machineApiVersion);
      expect(one.scope).toBe('Namespaced');
    }
  });

  it('describe every field', () => {
    const silent = [...ours].flatMap(([name, schema]) =>
      fieldsOf(schema, name).filter(({ schema: field }) => !describes(field)),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('know a Provider of type mock, and one without credentials', () => {
    const spec = ours.get('providers.infra.virtrigaud.io')?.properties?.spec;
    expect(spec?.properties?.type?.enum).toContain('mock');
    expect(spec?.required).not.toContain('credentialSecretRef');
  });
});

describe.skipIf(!upstreamIsThere)(`beside VirtRigaud's ${whereUpstreamIs}`, () => {
  const upstream = upstreamIsThere ? upstreamDefinitions() : [];

  it('there is one for each', () => {
    expect(upstream.map(({ metadata }) => metadata.name).sort()).toEqual([...ours.keys()].sort());
  });

  it.each(upstream.map((one) => [one.spec.names.kind, one] as const))('%s is no stricter', (_kind, definition) => {
    const theirs = definition.spec.versions[0]!.schema.openAPIV3Schema;
    expect(stricter(ours.get(definition.metadata.name)!, theirs, '')).toEqual([]);
  });

  it.each(upstream.map((one) => [one.spec.names.kind, one] as const))(
    '%s has the same defaults',
    (_kind, definition) => {
      const theirs = fieldsOf(definition.spec.versions[0]!.schema.openAPIV3Schema, '');
      const mine = new Map(fieldsOf(ours.get(definition.metadata.name)!, '').map(({ path, schema }) => [path, schema]));
      const differ = theirs.filter(({ path, schema }) => mine.has(path) && schema.default !== mine.get(path)?.default);
      expect(differ.map(({ path }) => path)).toEqual([]);
    },
  );
});

interface Field {
  path: string;
  schema: Schema;
}

function fieldsOf(schema: Schema, path: string): Field[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { path: `${path}/${name}`, schema: field },
    ...fieldsOf(field, `${path}/${name}`),
  ]);
  const inside = [schema.items, schema.additionalProperties].flatMap((one) =>
    typeof one === 'object' ? fieldsOf(one, `${path}[]`) : [],
  );
  return [...below, ...inside];
}

const describes = (schema: Schema & { description?: string }): boolean =>
  schema.description !== undefined || schema.type === 'object';

/** Patterns of ours that are others than theirs, with what they must accept. */
const wider: Record<string, string[]> = {
  '/spec/endpoint': [
    'https://vcenter.example.com:443/sdk',
    'http://10.0.0.1',
    'tcp://host:16509/system',
    'grpc://host:9443',
    'qemu:///system',
    'qemu+ssh://root@host/system',
    'qemu+tls://host:16514/session',
  ],
  '/spec/runtime/image': [
    'ghcr.io/a/b',
    'ghcr.io/a/b:v1.2_3-rc',
    `a/b@sha256:${'0'.repeat(64)}`,
    `a/b:c@sha256:${'f'.repeat(64)}`,
  ],
  '/spec/snapshotConfig/name': ['a', 'A-1_b', '0'],
  '/spec/customization/hostname': ['a', 'A-1'],
  '/spec/storage/pvc/size': ['1Gi', '1.5T', '20Mi', '3Ki', '1E'],
};

/** Where ours refuses what theirs accepts. */
function stricter(mine: Schema, theirs: Schema, path: string): string[] {
  if (mine['x-kubernetes-preserve-unknown-fields']) return [];
  const found: string[] = [];
  const say = (what: string) => found.push(`${path}: ${what}`);
  if (mine['x-kubernetes-int-or-string'] !== theirs['x-kubernetes-int-or-string']) say('integer or string');
  if (mine.type !== theirs.type) say(`type ${mine.type}`);
  for (const name of mine.required ?? []) if (!theirs.required?.includes(name)) say(`requires ${name}`);
  const choices = (theirs.enum ?? theirs.allOf?.[0]?.enum)?.map(String);
  if (mine.enum && !choices) say('has an enum');
  for (const value of choices ?? []) if (mine.enum && !mine.enum.includes(value)) say(`lacks ${value}`);
  for (const key of ['minimum', 'minLength', 'minItems'] as const)
    if ((mine[key] ?? Number.NEGATIVE_INFINITY) > (theirs[key] ?? Number.NEGATIVE_INFINITY)) say(key);
  for (const key of ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const)
    if ((mine[key] ?? Number.POSITIVE_INFINITY) < (theirs[key] ?? Number.POSITIVE_INFINITY)) say(key);
  if (mine.pattern !== undefined && plain(mine.pattern) !== plain(theirs.pattern ?? '')) {
    const accepted = wider[path];
    if (accepted === undefined) say(`pattern ${mine.pattern}`);
    for (const text of accepted ?? []) if (!new RegExp(mine.pattern).test(text)) say(`pattern refuses ${text}`);
  }
  for (const [name, field] of Object.entries(theirs.properties ?? {})) {
    const own = mine.properties?.[name];
    // Metadata of a template has no fields in theirs.
    if (own === undefined) say(`has no ${name}`);
    else found.push(...stricter(own, field, `${path}/${name}`));
  }
  if (theirs.items) found.push(...stricter(mine.items ?? {}, theirs.items, `${path}[]`));
  if (typeof theirs.additionalProperties === 'object') {
    const own = mine.additionalProperties;
    if (typeof own === 'object') found.push(...stricter(own, theirs.additionalProperties, `${path}{}`));
    else say('is no map');
  }
  return found;
}

/** Two ways to write the same address: an octet and three more, or three with a dot and one more; and what needs no escape. */
const plain = (pattern: string): string => {
  const octet = '(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)';
  return pattern
    .replaceAll(`(${octet}\\.){3}${octet}`, 'ADDRESS')
    .replaceAll(`${octet}(\\.${octet}){3}`, 'ADDRESS')
    .replaceAll('[1-2]', '[12]')
    .replaceAll('([0-9A-Fa-f]{2})$', '[0-9A-Fa-f]{2}$');
};
