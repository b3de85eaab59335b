/**
 * What admission says about a ClusterRequest: refused is what is new and wrong. What can't be read in time is left to the workflow, which
 * judges everything again.
 */
import { asObject, type Json } from '../../base/json.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { checkRequest } from '../rules/validate.ts';
import type { StoredRequest } from '../store/contract.ts';
import { type AskedPlace, lookAhead } from './look-ahead.ts';
import { impossibleChanges } from './replace.ts';
import { differingFields } from './spec-differences.ts';

export interface Review {
  operation: 'CREATE' | 'UPDATE' | 'DELETE';
  object: unknown;
  oldObject: unknown;
}

export interface Admitted {
  allowed: boolean;
  /** Errors that refuse it, or that stood there before; and warnings. */
  findings: readonly Finding[];
}

export async function admitRequest(
  place: AskedPlace,
  { operation, object, oldObject }: Review,
  now: number,
  signal?: AbortSignal,
): Promise<Admitted> {
  if (operation === 'DELETE') return { allowed: true, findings: guardWarning(oldObject) };
  if (operation === 'CREATE') {
    const { findings } = await lookAhead(place, object, now, { signal, stored: asStored(object) });
    return { allowed: !findings.some(isError), findings };
  }
  const [before, after] = [asStored(oldObject), asStored(object)];
  const isSame = differingFields(asObject(oldObject as Json)?.spec, asObject(object as Json)?.spec).length === 0;
  if (before === undefined || after === undefined || isSame) return { allowed: true, findings: [] };
  const today = toWireTime(now).slice(0, 10);
  const known = new Set(checkRequest(oldObject, { types: place.poolTypes, today }).findings.map(keyOf));
  const { findings } = await lookAhead(place, object, now, { signal, stored: after, exists: true });
  const all = findings.some(isError) ? findings : [...findings, ...newlyImpossible(before, after, place)];
  return { allowed: !all.some((one) => isError(one) && !known.has(keyOf(one))), findings: all };
}

/** What could not change before this write either is no reason to refuse the correction of something else. */
function newlyImpossible(before: StoredRequest, after: StoredRequest, { poolTypes }: AskedPlace): Finding[] {
  const earlier = new Set(impossibleChanges(before, before, poolTypes).map(keyOf));
  return impossibleChanges(before, after, poolTypes).filter((one) => !earlier.has(keyOf(one)));
}

const keyOf = ({ code, field }: Finding): string => `${code} ${field}`;

function guardWarning(oldObject: unknown): Finding[] {
  if (asStored(oldObject)?.spec.deleteGuard !== true) return [];
  return [
    {
      severity: 'warning',
      field: 'spec.deleteGuard',
      code: 'DeleteGuarded',
      cause: 'the request has a delete guard, so the cluster and everything in Azure stay',
      fix: 'to delete them too, set deleteGuard to false',
    },
  ];
}

/** As far as the object can be one; whatever else is wrong with it, the rules say. */
function asStored(object: unknown): StoredRequest | undefined {
  const { metadata, spec } = asObject(object as Json) ?? {};
  const { name, namespace, location } = { ...asObject(metadata), ...asObject(spec) };
  const isOne = [name, namespace, location].every((one) => typeof one === 'string');
  return isOne ? (object as StoredRequest) : undefined;
}
