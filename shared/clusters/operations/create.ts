/** Creates a request, once: the same name with the same spec is the same request, however often it is sent. */
import { asObject, type JsonObject } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import { failureCodes } from '../../kube/contract.ts';
import { clusterRequestApiVersion } from '../request/kind.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { isDeleting } from '../steps/phase.ts';
import type { RequestName, StoredRequest } from '../store/contract.ts';
import { type AskedPlace, lookAhead } from './look-ahead.ts';
import { differingFields } from './spec-differences.ts';

export type CreateOutcome =
  | { outcome: 'created' | 'same'; request: StoredRequest; findings: readonly Finding[] }
  /** Nothing was stored. */
  | { outcome: 'refused'; findings: readonly Finding[] }
  /** One of that name exists, with another spec or on its way out. */
  | { outcome: 'exists'; request: StoredRequest; differs: readonly string[]; deleting: boolean }
  | { outcome: 'failed'; failure: Failure };

export async function createRequest(
  place: AskedPlace,
  object: JsonObject,
  now: number,
  signal?: AbortSignal,
): Promise<CreateOutcome> {
  const name = nameOf(object);
  const before = name === undefined ? undefined : await existing(place, name, object, signal);
  if (before !== undefined) return before;
  const { findings, request } = await lookAhead(place, object, now, { signal });
  if (request === undefined || findings.some(isError)) return { outcome: 'refused', findings };
  const { namespace } = request.metadata;
  const made = await place.store.create(
    {
      namespace,
      name: request.metadata.name,
      spec: request.spec as unknown as JsonObject,
      labels: textsIn(object, 'labels'),
      annotations: textsIn(object, 'annotations'),
    },
    signal,
  );
  if (made.ok) return { outcome: 'created', request: made.value, findings };
  if (made.error.code === failureCodes.namespaceMissing) {
    return { outcome: 'refused', findings: [...findings, withoutNamespace(place.store.name, namespace)] };
  }
  if (made.error.kind !== 'conflict') return { outcome: 'failed', failure: made.error };
  const now2 = await existing(place, { namespace, name: request.metadata.name }, object, signal);
  return now2 ?? { outcome: 'failed', failure: made.error };
}

const withoutNamespace = (cluster: string, namespace: string): Finding => ({
  severity: 'error',
  field: 'metadata.namespace',
  code: 'NamespaceMissing',
  cause: `cluster ${cluster} has no namespace ${namespace}, and a team is a namespace`,
  fix: `create it (kubectl create namespace ${namespace}), or use another one`,
});

/** Undefined: there is none of that name. */
async function existing(
  { store }: AskedPlace,
  name: RequestName,
  object: JsonObject,
  signal?: AbortSignal,
): Promise<CreateOutcome | undefined> {
  const found = await store.get(name, signal);
  if (!found.ok) return found.error.kind === 'not-found' ? undefined : { outcome: 'failed', failure: found.error };
  const request = found.value;
  // Another kind or version is a mistake of its own, which the rules name.
  if (object.apiVersion !== clusterRequestApiVersion) return undefined;
  const differs = differingFields(request.spec, object.spec);
  if (differs.length === 0 && !isDeleting(request)) return { outcome: 'same', request, findings: [] };
  return { outcome: 'exists', request, differs, deleting: isDeleting(request) };
}

function nameOf(object: JsonObject): RequestName | undefined {
  const { name, namespace } = asObject(object.metadata) ?? {};
  return typeof name === 'string' && typeof namespace === 'string' && name !== '' ? { name, namespace } : undefined;
}

/** Only texts can be labels; anything else is what the rules or the API server refuse. */
function textsIn(object: JsonObject, field: 'labels' | 'annotations'): Record<string, string> {
  const entries = Object.entries(asObject(asObject(object.metadata)?.[field] as JsonObject) ?? {});
  return Object.fromEntries(entries.filter((one): one is [string, string] => typeof one[1] === 'string'));
}
