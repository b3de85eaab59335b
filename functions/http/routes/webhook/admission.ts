/**
 * What the webhook says about one admission request. Pure. It refuses only what is new and wrong: nobody is kept from deleting,
 * from finishing a deletion, or from touching something else of an object that was wrong already.
 */

import { defined } from '../../../../shared/base/defined.ts';
import { asObject, isObject, type Json, type JsonObject } from '../../../../shared/base/json.ts';
import { describeProblems, type Problem } from '../../../../shared/base/problems.ts';
import { oldFormOf } from '../../../../shared/clusters/convert/old-form.ts';
import { type ValidateOptions, validateClaim } from '../../../../shared/nodes/claims/spec/validate-claim.ts';
import { replicasProblems } from '../../../../shared/nodes/pools/validate.ts';
import type { ServedClaim } from '../../../../shared/providers/contract.ts';
import type { NodeClassAdmission } from '../../../../shared/providers/manifest.ts';
import type { News } from '../../../sources/change-events.ts';

export interface AdmissionRequest {
  operation: string;
  resource: { group: string; resource: string };
  kind: { group: string; kind: string; version?: string | undefined };
  /** As its author wrote it. */
  requestKind?: { version?: string | undefined } | undefined;
  subResource?: string | undefined;
  object?: unknown;
  oldObject?: unknown;
}

export type Verdict =
  | { allowed: true; warnings: string[]; news?: News }
  | { allowed: false; message: string; warnings: string[] };

/** The cluster as far as it matters here. */
export interface AdmittingCluster {
  name: string;
  nodeClasses: readonly { group: string; version: string; kind: string; plural: string }[];
  /** Whether a claim of one of these classes is ours; absent: every one is. */
  serves?: (claim: ServedClaim) => boolean;
  maxReplicas?: number | undefined;
  /** The rules of the kind of node class that the request is about, where it has some of its own. */
  nodeClassRules?: NodeClassAdmission | undefined;
}

const shownProblems = 5;
/** kubectl prints every warning on a line of its own; the API server cuts what is long. */
const shownWarnings = 5;
const longestWarning = 240;

const allowed: Verdict = { allowed: true, warnings: [] };

export function judge(cluster: AdmittingCluster, request: AdmissionRequest): Verdict {
  const { operation, object, oldObject } = request;
  const rules = rulesFor(cluster, request);
  if (!rules || (request.subResource ?? '') !== '') return allowed;
  if (operation === 'DELETE') return { ...allowed, ...withNews(rules.news(metadataOf(oldObject), true)) };
  if (operation !== 'CREATE' && operation !== 'UPDATE') return allowed;
  const metadata = metadataOf(object);
  const deleting = metadata.deletionTimestamp !== undefined;
  const before = operation === 'UPDATE' ? metadataOf(oldObject) : undefined;
  // Labels, annotations, finalizers: neither news nor ours to judge.
  const sameSpec = before !== undefined && before.generation === metadata.generation;
  if (sameSpec || deleting) return sameSpec ? allowed : { ...allowed, ...withNews(rules.news(metadata, deleting)) };
  const isForeign = rules.isTheirs?.(object) ?? false;
  const old = isForeign ? undefined : oldFormOf({ ...request.resource, version: writtenIn(request), object });
  const problems = [...(old?.problems ?? []), ...rules.validate(object)];
  const known = new Set(before === undefined ? [] : rules.validate(oldObject).map(({ path }) => path));
  const fresh = problems.filter(({ path }) => !known.has(path));
  const warnings = [
    ...(fresh.length > 0 ? [] : problems.map((one) => describeProblems([one]))),
    ...rules.oddities(object),
    ...(old?.warnings ?? []),
  ];
  const bounded = warnings.slice(0, shownWarnings).map((text) => text.slice(0, longestWarning));
  if (fresh.length > 0) return { allowed: false, message: refusal(fresh), warnings: bounded };
  return { allowed: true, warnings: bounded, ...withNews(rules.news(metadata, false)) };
}

const writtenIn = ({ requestKind, kind }: AdmissionRequest): string => requestKind?.version ?? kind.version ?? '';

function refusal(problems: readonly Problem[]): string {
  const more = problems.length - shownProblems;
  return `${describeProblems(problems.slice(0, shownProblems))}${more > 0 ? `; and ${more} more` : ''}`;
}

interface Metadata {
  name?: string;
  uid?: string;
  generation?: number;
  deletionTimestamp?: string;
}

interface Rules {
  /** Another provisioner's, so nothing is said about it. */
  isTheirs?(object: unknown): boolean;
  validate(object: unknown): Problem[];
  /** What is legal and probably not meant. */
  oddities(object: unknown): string[];
  news(metadata: Metadata, deleting: boolean): News | undefined;
}

/** Undefined for a kind that is none of our business. */
function rulesFor(cluster: AdmittingCluster, { resource: { group, resource } }: AdmissionRequest): Rules | undefined {
  const options: ValidateOptions = { nodeClasses: cluster.nodeClasses };
  if (group === 'karpenter.sh' && resource === 'nodeclaims') {
    return {
      validate: (object) => (isTheirs(cluster, object) ? [] : validateClaim(object, options)),
      oddities: (object) =>
        isTheirs(cluster, object) ? [] : claimOddities(ofOurs(cluster, asObject(asObject(object)?.spec))),
      news: (metadata, deleting) => news(cluster.name, metadata, deleting, 'dev.poolwright.claim.changed.v1', {}),
    };
  }
  if (group === 'karpenter.sh' && resource === 'nodepools') {
    return {
      isTheirs: (object) => isTheirs(cluster, claimOf(object)),
      validate: (object) => (isTheirs(cluster, claimOf(object)) ? [] : poolProblems(object, options, cluster)),
      oddities: (object) =>
        isTheirs(cluster, claimOf(object))
          ? []
          : repeatedKeys(ofOurs(cluster, templateOf(object)), 'spec.template.spec'),
      news: (metadata, deleting) => news(cluster.name, metadata, deleting, 'dev.poolwright.pool.changed.v1', {}),
    };
  }
  const nodeClass = cluster.nodeClasses.find((one) => one.group === group && one.plural === resource);
  if (!nodeClass) return undefined;
  const kind = { group, kind: nodeClass.kind };
  return {
    // Its definition says most of what may stand in it; what its selectors find is looked up by its reconciler.
    validate: (object) => [...(cluster.nodeClassRules?.validate(specOf(object)) ?? [])],
    oddities: () => [],
    news: (metadata, deleting) => news(cluster.name, metadata, deleting, 'dev.poolwright.node-class.changed.v1', kind),
  };
}

/** Undefined where nothing is to be written. */
export function defaultsFor(
  rules: NodeClassAdmission | undefined,
  { operation, object, subResource }: AdmissionRequest,
): JsonObject | undefined {
  const spec = specOf(object);
  if (rules === undefined || !isObject(spec) || (subResource ?? '') !== '') return undefined;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  // What is wrong is for the validating webhook to refuse, as it was written.
  if (metadataOf(object).deletionTimestamp !== undefined || rules.validate(spec).length > 0) return undefined;
  const full = rules.defaults(spec);
  return JSON.stringify(full) === JSON.stringify(spec) ? undefined : full;
}

const specOf = (object: unknown): Json => (asObject(object)?.spec ?? {}) as Json;

type Told =
  | 'dev.poolwright.claim.changed.v1'
  | 'dev.poolwright.pool.changed.v1'
  | 'dev.poolwright.node-class.changed.v1';

/** The same event as the bridge's. Without a uid there is nobody to tell of: the resync will find the object. */
function news(
  cluster: string,
  { name, uid, generation }: Metadata,
  deleting: boolean,
  type: Told,
  kind: { group?: string; kind?: string },
): News | undefined {
  if (name === undefined || uid === undefined) return undefined;
  const seen = { cluster, name, uid, ...defined({ generation }), deleting };
  const data = { ...seen, observedBy: 'webhook' as const };
  if (type !== 'dev.poolwright.node-class.changed.v1') return { type, data };
  return { type, data: { ...data, group: kind.group ?? '', kind: kind.kind ?? '' } };
}

const withNews = (told: News | undefined): { news?: News } => (told === undefined ? {} : { news: told });

/** The wishes of a pool are those of the claims that are made from it. */
const poolProblems = (pool: unknown, options: ValidateOptions, { maxReplicas }: AdmittingCluster): Problem[] => [
  ...validateClaim(claimOf(pool), options).map(({ path, message }) => ({ path: `spec.template.${path}`, message })),
  ...replicasProblems(asObject(asObject(pool)?.spec)?.replicas, maxReplicas),
];

/** A claim as the pool would make it. */
function claimOf(pool: unknown): Fields {
  const { template } = asObject(asObject(pool)?.spec) ?? {};
  const { labels, annotations } = asObject(asObject(template)?.metadata) ?? {};
  return {
    metadata: { name: 'a', uid: 'a', ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: templateOf(pool),
  };
}

/** A claim of a kind that we know, but of another provisioner that serves the same kind. */
function isTheirs({ nodeClasses, serves }: AdmittingCluster, claim: unknown): boolean {
  const { metadata, spec } = asObject(claim) ?? {};
  const { group = '', kind, name = '' } = asObject(asObject(spec)?.nodeClassRef) ?? {};
  if (!serves || typeof group !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return false;
  if (!nodeClasses.some((one) => one.kind === kind && (group === '' || one.group === group))) return false;
  const { labels, annotations } = asObject(metadata) ?? {};
  return !serves({ nodeClassRef: { group, kind, name }, labels: texts(labels), annotations: texts(annotations) });
}

const texts = (map: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asObject(map) ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

const templateOf = (pool: unknown): Fields | undefined =>
  asObject(asObject(asObject(asObject(pool)?.spec)?.template)?.spec);

/** What another provisioner makes of its claims is not ours to comment on. */
function ofOurs({ nodeClasses }: AdmittingCluster, spec: Fields | undefined): Fields | undefined {
  const ref = asObject(spec?.nodeClassRef);
  return nodeClasses.some(({ group, kind }) => group === ref?.group && kind === ref?.kind) ? spec : undefined;
}

function claimOddities(spec: Fields | undefined): string[] {
  if (spec === undefined) return [];
  const requests = asObject(asObject(spec?.resources)?.requests);
  const nothing = 'spec.resources.requests is empty, so the cheapest instance that meets the requirements is used';
  return [...repeatedKeys(spec, 'spec'), ...(Object.keys(requests ?? {}).length === 0 ? [nothing] : [])];
}

function repeatedKeys(spec: Fields | undefined, at: string): string[] {
  const odd: string[] = [];
  const seen = new Map<string, number>();
  const requirements: unknown[] = Array.isArray(spec?.requirements) ? spec.requirements : [];
  for (const [index, one] of requirements.entries()) {
    const key = asObject(one)?.key;
    if (typeof key !== 'string') continue;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else
      odd.push(`${at}.requirements[${index}].key: ${key} is already used at [${first}]; both requirements must be met`);
  }
  return odd;
}

type Fields = Readonly<Record<string, unknown>>;

function metadataOf(object: unknown): Metadata {
  const { name, uid, generation, deletionTimestamp } = asObject(asObject(object)?.metadata) ?? {};
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    ...(typeof generation === 'number' ? { generation } : {}),
    ...(typeof deletionTimestamp === 'string' ? { deletionTimestamp } : {}),
  };
}
