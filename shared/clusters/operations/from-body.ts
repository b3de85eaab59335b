/** What a caller sends, as an object: a ClusterRequest, or the flat parameters of an internal platform. */
import { asObject, isObject, type Json, type JsonObject } from '../../base/json.ts';
import { looksLikeParameters, requestFromParameters } from '../request/parameters.ts';
import type { Finding } from '../rules/finding.ts';

export type SentRequest = { ok: true; object: JsonObject } | { ok: false; findings: readonly Finding[] };

/** @param namespace For what does not say its own. */
export function requestFromBody(body: unknown, namespace: string): SentRequest {
  if (looksLikeParameters(body)) {
    const made = requestFromParameters(body, namespace);
    if (made.ok) return { ok: true, object: made.value as unknown as JsonObject };
    const findings = made.problems.map(
      ({ path, message }): Finding => ({
        severity: 'error',
        field: path,
        code: 'ClusterRequestInvalid',
        cause: message,
        fix: 'correct the parameter',
      }),
    );
    return { ok: false, findings };
  }
  const object = asObject(body as Json) ?? {};
  const metadata = isObject(object.metadata as Json) ? (object.metadata as JsonObject) : {};
  return { ok: true, object: { ...object, metadata: { namespace, ...metadata } } as JsonObject };
}
