/** Reads what somebody wants a plan for: a claim, or a pool, of which it is the claim that it would make. Nothing is asked of anybody. */

import { defined } from '../../base/defined.ts';
import { asObject } from '../../base/json.ts';
import { didYouMean } from '../../base/nearest.ts';
import { type Checked, type Problem, quoteInput } from '../../base/problems.ts';
import { parseNodePool } from '../claims/spec/claim-schema.ts';
import type { KnownNodeClass } from '../claims/spec/node-class-ref.ts';
import { validateClaim } from '../claims/spec/validate-claim.ts';
import type { StoredPool } from '../disruption/types.ts';
import { claimFrom } from '../pools/template.ts';
import { nodeLimit, poolProblems } from '../pools/validate.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';

export interface PlannedObject {
  kind: 'NodeClaim' | 'NodePool';
  name: string;
  claim: StoredClaim;
  /** Of a pool: how many nodes it wants. Absent for a pool that pods decide about. */
  replicas?: number;
  /** What stands before the paths of problems of the claim. */
  path: string;
}

const apiVersion = 'karpenter.sh/v1';
const kinds = ['NodeClaim', 'NodePool'] as const;

export function readPlannedObject(
  object: unknown,
  nodeClasses: readonly KnownNodeClass[],
  now: number,
): Checked<PlannedObject> {
  const fields = asObject(object);
  const problems = fields ? headProblems(fields) : [{ path: '', message: 'it must be an object' }];
  if (!fields || problems.length > 0) return { ok: false, problems };
  const metadata = { ...asObject(fields.metadata), name: nameOf(fields.metadata), uid: 'plan' };
  return fields.kind === 'NodePool'
    ? readPool({ ...fields, metadata }, nodeClasses, now)
    : readClaim({ ...fields, metadata }, nodeClasses, now);
}

/** As the API server takes it: what it would refuse has no plan. */
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

function headProblems({ apiVersion: version, kind, metadata }: Fields): Problem[] {
  if (!kinds.some((one) => one === kind)) {
    const hint = typeof kind === 'string' ? didYouMean(kind, kinds) : '';
    return [{ path: 'kind', message: `${quoteInput(kind)} cannot be planned; use one of ${kinds.join(', ')}${hint}` }];
  }
  if (version !== apiVersion) {
    return [{ path: 'apiVersion', message: `must be ${apiVersion}, but is ${quoteInput(version)}` }];
  }
  const name = nameOf(metadata);
  if (name.length <= longestName && objectName.test(name)) return [];
  const message = `${quoteInput(name)} is not a valid name: use at most ${longestName} lowercase letters, digits, "-" and ".", beginning and ending with a letter or digit`;
  return [{ path: 'metadata.name', message }];
}

/** A name that the API server would make up is not known yet. */
function nameOf(metadata: unknown): string {
  const { name, generateName } = asObject(metadata) ?? {};
  if (typeof name === 'string' && name !== '') return name;
  return typeof generateName === 'string' && generateName !== '' ? `${generateName}new` : 'new';
}

type Named = Fields & { metadata: Fields & { name: string } };

function readClaim(fields: Named, nodeClasses: readonly KnownNodeClass[], now: number): Checked<PlannedObject> {
  const problems = validateClaim(fields, { nodeClasses });
  if (problems.length > 0) return { ok: false, problems };
  const { name } = fields.metadata;
  return { ok: true, value: { kind: 'NodeClaim', name, claim: asClaim(fields, now), path: '' } };
}

function readPool(fields: Named, nodeClasses: readonly KnownNodeClass[], now: number): Checked<PlannedObject> {
  const parsed = parseNodePool(fields);
  if (!parsed.ok) return parsed;
  const pool: StoredPool = {
    ...parsed.value,
    metadata: { ...parsed.value.metadata, resourceVersion: '', creationTimestamp: new Date(now).toISOString() },
  };
  const { name } = pool.metadata;
  const made = claimFrom(pool, { name: `${name}-new`, hash: '' });
  const path = 'spec.template.';
  const ofClaims = validateClaim(made, { nodeClasses }).map((one) => ({ ...one, path: `${path}${one.path}` }));
  const problems = [...ofClaims, ...poolProblems(pool)];
  const once = problems.filter((one, index) => problems.findIndex(({ path: at }) => at === one.path) === index);
  if (once.length > 0) return { ok: false, problems: once };
  const { replicas } = pool.spec;
  const wanted = replicas === undefined ? undefined : Math.min(replicas, nodeLimit(pool.spec) ?? replicas);
  return {
    ok: true,
    value: {
      kind: 'NodePool',
      name,
      claim: asClaim(made, now),
      ...defined({ replicas: wanted }),
      path,
    },
  };
}

/** It was checked before: what is not in it is what only the API server gives. */
function asClaim(checked: unknown, now: number): StoredClaim {
  const claim = checked as StoredClaim;
  const { annotations, labels, ...metadata } = claim.metadata;
  return shapeClaim({
    ...claim,
    metadata: {
      ...metadata,
      uid: 'plan',
      resourceVersion: '',
      creationTimestamp: new Date(now).toISOString(),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
  });
}

type Fields = { readonly [field: string]: unknown };
