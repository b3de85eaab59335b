/**
 * What one request has made becomes another one's: its tags say so from then on. The group goes last, because it leads to the rest; each
 * part may have been done before.
 */
import { asObject, type JsonObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import { type Owner, tagsOf } from '../../resolved/tags.ts';
import { faultFailure } from './calls.ts';
import { type FoundInAzure, find } from './find.ts';
import { apiVersionOf, targetOf } from './kinds.ts';
import { tagsIn } from './live.ts';
import { type Arm, put, read } from './resources.ts';

const tagsVersion = '2021-04-01';
/** Those that others are found by come after them. */
const order = ['ManagedClustersAgentPool', 'UserAssignedIdentity', 'ManagedCluster', 'ResourceGroup'];

export async function handOver(arm: Arm, uid: string, to: Owner, signal?: AbortSignal): Promise<Result<number>> {
  if (uid === to.uid) return ok(0);
  const found = await find(arm, uid, signal);
  if (!found.ok) return found;
  let changed = 0;
  for (const kind of order) {
    for (const one of found.value.filter(({ manifest }) => manifest.kind === kind)) {
      const written =
        kind === 'ManagedClustersAgentPool' ? await pool(arm, one, to, signal) : await tags(arm, one, to, signal);
      if (!written.ok) return written;
      changed += 1;
    }
  }
  return ok(changed);
}

const marksOf = (to: Owner): JsonObject => tagsOf(to);

async function tags({ calls }: Arm, { id }: FoundInAzure, to: Owner, signal?: AbortSignal): Promise<Result<void>> {
  const path = `${id}/providers/Microsoft.Resources/tags/default`;
  const body = { operation: 'Merge', properties: { tags: marksOf(to) } };
  const answer = await calls.call({ verb: 'PATCH', path, apiVersion: tagsVersion, body }, signal);
  if (!answer.ok) return answer;
  return answer.value.state === 'refused' ? faultFailure(answer.value.fault, `tags of ${id}`) : ok(undefined);
}

/** The tags of a pool are fields of it like any other. */
async function pool(arm: Arm, { manifest }: FoundInAzure, to: Owner, signal?: AbortSignal): Promise<Result<void>> {
  const target = targetOf(arm.subscriptionId, manifest);
  if (target === undefined) return ok(undefined);
  const seen = await read(arm, { id: target.id, apiVersion: apiVersionOf(manifest.apiVersion) }, signal);
  if (!seen.ok) return seen;
  if (seen.value.state === 'refused') return faultFailure(seen.value.fault, target.id);
  if (seen.value.state === 'absent') return ok(undefined);
  const { live } = seen.value;
  const {
    provisioningState: _,
    powerState: __,
    nodeImageVersion: ___,
    eTag: ____,
    ...properties
  } = asObject(live.properties) ?? {};
  const body = { properties: { ...properties, tags: { ...tagsIn(target, live), ...marksOf(to) } } };
  return await put(arm, target, body, live, signal);
}
