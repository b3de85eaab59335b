/**
 * Checks the shape of objects that come from a cluster. Fields we do not know are kept; fields we use must have the right
 * type and a bounded size. Whether the wishes in it make sense is judged later (`parseRequirements`, `parseResources`):
 * a claim with a senseless wish must still be readable, or it could never be deleted.
 */
import { conditionStatuses } from '../../../base/kubernetes-object.ts';
import { type Checked, misspelled, type Problem, quoteInput } from '../../../base/problems.ts';
import * as z from '../../../base/schemas.ts';
import { type Node, type NodeClaim, type NodePool, taintEffects } from './types.ts';

export type ParsedNodeClaim = { ok: true; claim: NodeClaim } | { ok: false; problems: Problem[] };

/** More than any real object has; a hostile one is refused before it costs anything. */
const deepest = 40;
const mostProblems = 20;

const texts = new Map<number, z.ZodMiniString>();

/** Made once for each limit: a function makes all of these at its cold start. */
function text(limit: number): z.ZodMiniString {
  const known = texts.get(limit) ?? z.string().check(z.maxLength(limit));
  texts.set(limit, known);
  return known;
}

const name = text(253).check(z.minLength(1));
const timestamp = text(64).check(
  z.refine((value) => !Number.isNaN(Date.parse(value)), 'is not a time like 2026-01-31T12:00:00Z'),
);
const quantities = z.record(text(317), z.union([text(64), z.number()]));
const labelMap = z.record(text(317), text(63));
const annotationMap = z.record(text(317), text(262_144));

const objectMeta = z.looseObject({
  name,
  namespace: z.exactOptional(text(63)),
  generateName: z.exactOptional(text(253)),
  uid: text(128).check(z.minLength(1)),
  resourceVersion: z.exactOptional(text(128)),
  generation: z.exactOptional(z.int()),
  creationTimestamp: z.exactOptional(timestamp),
  deletionTimestamp: z.exactOptional(timestamp),
  deletionGracePeriodSeconds: z.exactOptional(z.int()),
  labels: z.exactOptional(labelMap),
  annotations: z.exactOptional(annotationMap),
  finalizers: z.exactOptional(z.array(text(317)).check(z.maxLength(100))),
  ownerReferences: z.exactOptional(
    z
      .array(
        z.looseObject({
          apiVersion: text(317),
          kind: text(63),
          name: text(253),
          uid: text(128),
          controller: z.exactOptional(z.boolean()),
          blockOwnerDeletion: z.exactOptional(z.boolean()),
        }),
      )
      .check(z.maxLength(100)),
  ),
});

const taint = z.looseObject({
  key: text(317),
  value: z.exactOptional(text(63)),
  effect: z.enum(taintEffects),
  timeAdded: z.exactOptional(timestamp),
});
const taints = z.array(taint).check(z.maxLength(100));

const condition = z.looseObject({
  type: text(316),
  status: z.enum(conditionStatuses),
  reason: z._default(text(1024), ''),
  message: z._default(text(32_768), ''),
  lastTransitionTime: timestamp,
  observedGeneration: z.exactOptional(z.int()),
});

const requirement = z.looseObject({
  key: text(317),
  operator: text(32),
  // A claim made from a pool lists up to 600 instance types.
  values: z.exactOptional(z.array(text(256)).check(z.maxLength(2000))),
  minValues: z.exactOptional(z.number()),
});

const nodeClaimSpec = z.looseObject({
  nodeClassRef: z.looseObject({ group: z._default(text(253), ''), kind: text(63), name: text(253) }),
  requirements: z._default(z.array(requirement).check(z.maxLength(1000)), []),
  resources: z.exactOptional(z.looseObject({ requests: z.exactOptional(quantities) })),
  taints: z.exactOptional(taints),
  startupTaints: z.exactOptional(taints),
  terminationGracePeriod: z.exactOptional(text(64)),
  expireAfter: z.exactOptional(text(64)),
});

const apiVersion = z.exactOptional(text(317));
const kind = z.exactOptional(text(63));

const nodeClaim = z.looseObject({
  apiVersion,
  kind,
  metadata: objectMeta,
  spec: nodeClaimSpec,
  status: z.exactOptional(
    z.looseObject({
      nodeName: z.exactOptional(text(253)),
      providerID: z.exactOptional(text(1024)),
      imageID: z.exactOptional(text(1024)),
      capacity: z.exactOptional(quantities),
      allocatable: z.exactOptional(quantities),
      conditions: z.exactOptional(z.array(condition).check(z.maxLength(100))),
      lastPodEventTime: z.exactOptional(timestamp),
    }),
  ),
});

const nodePool = z.looseObject({
  apiVersion,
  kind,
  metadata: objectMeta,
  spec: z.looseObject({
    template: z.looseObject({
      metadata: z.exactOptional(
        z.looseObject({ labels: z.exactOptional(labelMap), annotations: z.exactOptional(annotationMap) }),
      ),
      spec: nodeClaimSpec,
    }),
    limits: z.exactOptional(quantities),
    weight: z.exactOptional(z.int()),
    replicas: z.exactOptional(z.int()),
  }),
  status: z.exactOptional(
    z.looseObject({
      resources: z.exactOptional(quantities),
      conditions: z.exactOptional(z.array(condition).check(z.maxLength(100))),
    }),
  ),
});

const nodeCondition = z.looseObject({
  type: text(316),
  status: z.enum(conditionStatuses),
  reason: z.exactOptional(text(1024)),
  message: z.exactOptional(text(32_768)),
  lastHeartbeatTime: z.exactOptional(timestamp),
  lastTransitionTime: z.exactOptional(timestamp),
});

const node = z.looseObject({
  apiVersion,
  kind,
  metadata: objectMeta,
  spec: z.exactOptional(
    z.looseObject({
      providerID: z.exactOptional(text(1024)),
      unschedulable: z.exactOptional(z.boolean()),
      taints: z.exactOptional(taints),
    }),
  ),
  status: z.exactOptional(
    z.looseObject({
      capacity: z.exactOptional(quantities),
      allocatable: z.exactOptional(quantities),
      conditions: z.exactOptional(z.array(nodeCondition).check(z.maxLength(100))),
    }),
  ),
});

export function parseNodeClaim(input: unknown): ParsedNodeClaim {
  const checked = check<NodeClaim>(nodeClaim, input);
  return checked.ok ? { ok: true, claim: checked.value } : checked;
}

export const parseNodePool = (input: unknown): Checked<NodePool> => check<NodePool>(nodePool, input);

export const parseNode = (input: unknown): Checked<Node> => check<Node>(node, input);

function check<T>(schema: z.ZodMiniType<T>, input: unknown): Checked<T> {
  if (isDeeperThan(input, deepest)) {
    return { ok: false, problems: [{ path: '', message: `is nested more than ${deepest} levels deep` }] };
  }
  const result = schema.safeParse(withoutNulls(input));
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.slice(0, mostProblems).map((issue) => problemOf(issue, input));
  return { ok: false, problems };
}

function problemOf(issue: z.core.$ZodIssue, input: unknown): Problem {
  const path = formatPath(issue.path);
  const message = messageOf(issue, input);
  const written = valueAt(input, issue.path);
  // Only a text can be misspelled; an object may even have a field `toString`, and then has no text at all.
  if (issue.code !== 'invalid_value' || typeof written !== 'string') return { path, message };
  return misspelled(path, message, written, issue.values.map(String));
}

/** The schema's own words name types of JavaScript; people want to know what stands there, and what should. */
function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  const found = valueAt(input, issue.path);
  const absent = found === undefined || found === null;
  switch (issue.code) {
    case 'invalid_type':
      return absent ? `is missing; it must be ${kindText(issue.expected)}` : isNot(found, kindText(issue.expected));
    case 'invalid_value':
      return `${quoteInput(found)} is not allowed; use one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return isNot(found, 'a text or a number');
    default:
      return issue.message;
  }
}

const isNot = (found: unknown, kind: string): string => `${quoteInput(found)} is not ${kind}`;

const kindTexts: Readonly<Record<string, string>> = {
  string: 'a text',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  int: 'a whole number',
  boolean: 'true or false',
};
const kindText = (expected: string): string => kindTexts[expected] ?? `a ${expected}`;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** To the API server, a field that is null is a field that is absent; so it is to us. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutNulls(field)]));
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((field) => isDeeperThan(field, levels - 1));
}

/** `spec.requirements[2].key`; names that are no plain words are quoted. */
function formatPath(path: readonly PropertyKey[]): string {
  let result = '';
  for (const part of path) {
    if (typeof part === 'number') result += `[${part}]`;
    else if (/^\w+$/.test(String(part))) result += `${result === '' ? '' : '.'}${String(part)}`;
    else result += `[${JSON.stringify(String(part)).slice(0, 80)}]`;
  }
  return result;
}
