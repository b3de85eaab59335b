/** What is wrong with one object of our kinds; what is of another kind is nobody's business here. */
import { z } from 'zod';
import { asObject, type Json } from '../../../shared/base/json.ts';
import { didYouMean, nearest } from '../../../shared/base/nearest.ts';
import { type Problem, quoteInput } from '../../../shared/base/problems.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { builtInPoolTypes } from '../../../shared/clusters/pool-types/built-in.ts';
import { clusterRequestKind } from '../../../shared/clusters/request/kind.ts';
import { isError } from '../../../shared/clusters/rules/finding.ts';
import { checkRequest } from '../../../shared/clusters/rules/validate.ts';
import { bare } from '../../../shared/config/schema-walk.ts';
import type { KindDefinition } from '../../../shared/kube/crds/definition.ts';
import { validateClaim } from '../../../shared/nodes/claims/spec/validate-claim.ts';
import type { StoredPool } from '../../../shared/nodes/disruption/types.ts';
import { poolProblems } from '../../../shared/nodes/pools/validate.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { parseSpec } from '../../../shared/providers/node-class-spec.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';

type Fields = { readonly [field: string]: unknown };

/** As Kubernetes has the names of objects. */
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const topFields = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

export function objectProblems(object: unknown, definitions: readonly KindDefinition[]): Problem[] {
  const fields = asObject(object);
  if (typeof fields?.apiVersion !== 'string' || typeof fields.kind !== 'string') {
    return [{ path: '', message: 'this is not a Kubernetes object: apiVersion and kind are required' }];
  }
  const found = definitionOf(fields.apiVersion, fields.kind, definitions);
  if (found === undefined) return [];
  if ('path' in found) return [found];
  const ofMeaning = [...nameProblems(fields.metadata), ...meaningOf(fields, found)];
  const spec = fields.spec === undefined ? undefined : (fields.spec as Json);
  const ofShape =
    spec === undefined && found.specRequired
      ? [{ path: 'spec', message: 'is required, but missing' }]
      : shapeProblems(found, spec ?? {});
  const unknown = [...unknownKeys(fields, topFields, ''), ...unknownFields(found.spec, fields.spec, 'spec')];
  const said = new Set(ofMeaning.map(({ path }) => plain(path)));
  return [...ofMeaning, ...[...ofShape, ...unknown].filter(({ path }) => !said.has(plain(path)))];
}

/** A kind that is nearly one of ours is a mistake; any other is somebody else's. */
function definitionOf(
  apiVersion: string,
  kind: string,
  definitions: readonly KindDefinition[],
): KindDefinition | Problem | undefined {
  const [group = '', version = ''] = apiVersion.split('/');
  const ofGroup = definitions.filter((one) => one.group === group);
  const same = ofGroup.find((one) => one.kind === kind);
  if (same !== undefined) {
    if (same.version === version) return same;
    const message = `must be ${same.group}/${same.version} for a ${kind}, but it is ${quoteInput(apiVersion)}`;
    return { path: 'apiVersion', message };
  }
  if (ofGroup.length > 0) {
    const kinds = ofGroup.map((one) => one.kind);
    const message = `${quoteInput(kind)} is not a kind in ${group}; known kinds: ${kinds.join(', ')}${didYouMean(kind, kinds)}`;
    return nearest(kind, kinds) === undefined ? undefined : { path: 'kind', message };
  }
  const meant = definitions.find((one) => one.kind === kind);
  if (meant === undefined || nearest(group, [meant.group]) === undefined) return undefined;
  return {
    path: 'apiVersion',
    message: `must be ${meant.group}/${meant.version}, but it is ${quoteInput(apiVersion)}`,
  };
}

function nameProblems(metadata: unknown): Problem[] {
  const { name, generateName } = asObject(metadata) ?? {};
  if (name === undefined && typeof generateName === 'string') return [];
  if (typeof name === 'string' && name.length <= 253 && objectName.test(name)) return [];
  const what = name === undefined ? 'is missing' : `is ${quoteInput(name)}`;
  return [{ path: 'metadata.name', message: `${what}; use at most 253 lowercase letters, digits, dashes and dots` }];
}

/** What is only advice there is none here: a file is right or wrong. */
function requestProblems(object: Fields): Problem[] {
  const today = new Date(systemClock.now()).toISOString().slice(0, 10);
  const { findings } = checkRequest(object, { types: builtInPoolTypes, today });
  return findings
    .filter((one) => isError(one) && !(one.code === 'RequestNameInvalid' && one.field === 'metadata.name'))
    .map(({ field, cause, fix }) => ({ path: field, message: `${cause}; ${fix}` }));
}

function meaningOf(object: Fields, { group, kind, spec }: KindDefinition): Problem[] {
  if (kind === clusterRequestKind.kind) return requestProblems(object);
  if (group !== 'karpenter.sh') return [];
  const options = { nodeClasses: kindsOf(manifests) };
  if (kind === 'NodeClaim') return validateClaim(object, options);
  const template = asObject(asObject(object.spec)?.template);
  const claim = { metadata: { ...asObject(template?.metadata), name: 'a', uid: 'a' }, spec: template?.spec };
  const ofTemplate = validateClaim(claim, options).map(({ path, message }) => ({
    path: `spec.template.${path}`,
    message,
  }));
  if (!isPool(object, spec)) return ofTemplate;
  const known = new Set(ofTemplate.map(({ path }) => path));
  return [...ofTemplate, ...poolProblems(object).filter(({ path }) => !known.has(path))];
}

/** Only what is shaped like a pool can be judged as one. */
const isPool = (object: unknown, schema: z.ZodType): object is StoredPool => {
  const { metadata, spec } = asObject(object) ?? {};
  return typeof asObject(metadata)?.name === 'string' && schema.safeParse(spec).success;
};

function shapeProblems({ spec: schema }: KindDefinition, spec: Json): Problem[] {
  const at = bare(schema);
  const parsed = parseSpec(schema, spec, at instanceof z.ZodObject ? Object.keys(at.shape) : []);
  return parsed.ok ? [] : parsed.problems;
}

/** What an API server would drop without a word. */
function unknownFields(schema: z.core.$ZodType, value: unknown, path: string): Problem[] {
  const at = bare(schema);
  if (at instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownFields(at.element as z.core.$ZodType, item, `${path}[${index}]`));
  }
  const fields = asObject(value);
  // One that refuses other fields has said so already, and one that takes all has none.
  if (!(at instanceof z.ZodObject) || fields === undefined || at.def.catchall !== undefined) return [];
  const shape = at.shape as Record<string, z.core.$ZodType>;
  return [
    ...unknownKeys(fields, Object.keys(shape), path),
    ...Object.entries(fields).flatMap(([key, inner]) => {
      const below = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return below === undefined ? [] : unknownFields(below, inner, `${path}.${key}`);
    }),
  ];
}

const unknownKeys = (fields: Fields, known: readonly string[], path: string): Problem[] =>
  Object.keys(fields)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      message: `is not a known field; allowed here: ${known.join(', ')}${didYouMean(key, known)}`,
    }));

/** The same place is written as `a[0].b` by the one and as `a.0.b` by the other. */
const plain = (path: string): string => path.replaceAll(/\[(\d+)\]/g, '.$1');
