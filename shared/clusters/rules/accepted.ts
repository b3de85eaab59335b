/**
 * The rules for a request whose cluster has been begun. What was accepted then and has not changed since may break a rule by now: a version
 * loses its support, a platform team removes a pool type. That is said, and holds up no change of something else.
 */
import { type Finding, isError } from './finding.ts';
import { type CheckedRequest, checkRequest, type Surroundings } from './validate.ts';

/** @param accepted The spec of the last attempt; undefined: nothing has been begun. */
export function checkAccepted(object: object, accepted: unknown, surroundings: Surroundings): CheckedRequest {
  const checked = checkRequest(object, surroundings);
  if (accepted === undefined) return checked;
  const before = new Set(checkRequest({ ...object, spec: accepted }, surroundings).findings.map(keyOf));
  const findings = checked.findings.map(
    (one): Finding => (isError(one) && before.has(keyOf(one)) ? { ...one, severity: 'warning' } : one),
  );
  return { ...checked, findings };
}

/** The cause quotes the value, so another value is another finding. */
const keyOf = ({ code, field, cause }: Finding): string => `${code} ${field} ${cause}`;
