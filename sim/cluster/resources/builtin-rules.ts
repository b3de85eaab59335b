/** What holds for the built-in kinds that Poolwright writes, beyond their shape. Nodes have a file of their own. */
import { isObject } from '../../../shared/base/json.ts';
import { badRequest, type Cause, invalidValue } from '../api-error.ts';
import { type Draft, fieldAt, textAt } from '../types.ts';

/** Times of Leases have microseconds; a server can't decode any others. */
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/;

export function validateLease(draft: Draft): Cause[] {
  for (const field of ['acquireTime', 'renewTime']) {
    const time = textAt(draft, 'spec', field);
    if (time !== '' && !microTime.test(time)) {
      throw badRequest(
        `Lease in version "v1" cannot be handled as a Lease: parsing time "${time}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "${time.slice(19)}" as ".000000"`,
      );
    }
  }
  const causes: Cause[] = [];
  const duration = fieldAt(draft, 'spec', 'leaseDurationSeconds');
  if (typeof duration === 'number' && duration <= 0) {
    causes.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  const transitions = fieldAt(draft, 'spec', 'leaseTransitions');
  if (typeof transitions === 'number' && transitions < 0) {
    causes.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return causes;
}

/** An Event stands in the namespace of what it is about; about what has none, in `default`. */
export function validateEvent(draft: Draft): Cause[] {
  const about = textAt(draft, 'involvedObject', 'namespace');
  const own = textAt(draft, 'metadata', 'namespace');
  if (about === own || (about === '' && own === 'default')) return [];
  return [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')];
}

export function validateBudget(draft: Draft): Cause[] {
  const has = (field: string): boolean => fieldAt(draft, 'spec', field) !== undefined;
  if (!has('minAvailable') || !has('maxUnavailable')) return [];
  return [invalidValue('spec', {}, 'minAvailable and maxUnavailable cannot be both set')];
}

/** Owners that nobody could find again are refused, for every kind. */
export function validateOwners(owners: unknown): Cause[] {
  const path = 'metadata.ownerReferences';
  const listed = (Array.isArray(owners) ? owners : []).filter(isObject);
  const causes = listed.flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((field) => textAt(owner, field) === '')
      .map((field) => invalidValue(`${path}.${field}`, '', 'must not be empty')),
  );
  if (listed.filter(({ controller }) => controller === true).length > 1) {
    const detail = 'Only one reference can have Controller set to true';
    causes.push(invalidValue(path, listed, detail));
  }
  return causes;
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Built-in kinds want a domain in a finalizer's name; custom resources are only warned about. */
export function validateCoreFinalizers(finalizers: unknown): Cause[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return (Array.isArray(finalizers) ? finalizers : []).flatMap((one, i) =>
    String(one).includes('/') || standardFinalizers.includes(String(one))
      ? []
      : [invalidValue(`metadata.finalizers[${i}]`, one, detail)],
  );
}
