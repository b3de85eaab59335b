/**
 * How much a claim may ask for. Its author may write a megabyte of wishes, and every step that looks at them holds up the claims of others:
 * so they are counted before anything is made of them, whether or not the CRD of the cluster has the same limits.
 */
import { asObject } from '../../../base/json.ts';
import type { Problem } from '../../../base/problems.ts';

export const maxRequirements = 100;
/** In all requirements together. A cloud has about a thousand instance types, and a claim made from a pool lists some of them. */
export const maxValues = 5000;
const maxTaints = 100;
const maxResources = 100;
const maxLabels = 500;

const isTooLong = (path: string, length: number, most: number, what = 'entries'): Problem[] =>
  length > most ? [{ path, message: `has ${length} ${what}; at most ${most} are allowed` }] : [];

/** Of a spec that nobody has checked yet. Whoever finds a problem here looks no further. */
export function sizeProblems(spec: { readonly [field: string]: unknown }, path: string): Problem[] {
  const requests = asObject(asObject(spec.resources)?.requests) ?? {};
  return [
    ...requirementsSize(spec.requirements, `${path}.requirements`),
    ...isTooLong(`${path}.taints`, lengthOf(spec.taints), maxTaints),
    ...isTooLong(`${path}.startupTaints`, lengthOf(spec.startupTaints), maxTaints),
    ...isTooLong(`${path}.resources.requests`, Object.keys(requests).length, maxResources),
  ];
}

export function metadataSizeProblems(metadata: unknown): Problem[] {
  const { labels, annotations } = asObject(metadata) ?? {};
  return [
    ...isTooLong('metadata.labels', Object.keys(asObject(labels) ?? {}).length, maxLabels),
    ...isTooLong('metadata.annotations', Object.keys(asObject(annotations) ?? {}).length, maxLabels),
  ];
}

export function requirementsSize(requirements: unknown, path: string): Problem[] {
  if (!Array.isArray(requirements)) return [];
  const tooMany = isTooLong(path, requirements.length, maxRequirements);
  if (tooMany.length > 0) return tooMany;
  const values = requirements.reduce((sum: number, one: unknown) => sum + lengthOf(asObject(one)?.values), 0);
  return isTooLong(path, values, maxValues, 'values');
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
