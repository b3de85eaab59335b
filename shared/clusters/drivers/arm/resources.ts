/** Reading what a manifest stands for, finding out whose it is, and writing it. Nothing is ever written over what is not ours. */

import { asObject, type JsonObject } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import { describeOwner, requestUidIn, requestUidInTags } from '../../resolved/marks.ts';
import type { Fault } from '../contract.ts';
import { bodyOf, needsOf, withLiveCount, withLivePools } from './body.ts';
import { type ArmCalls, faultFailure } from './calls.ts';
import { apiVersionOf, type Target, taggedAt, targetOf, usualVersion } from './kinds.ts';
import { type ArmResource, tagsIn, textIn } from './live.ts';

export interface Arm {
  calls: ArmCalls;
  subscriptionId: string;
}

export type Read = { state: 'absent' } | { state: 'there'; live: ArmResource } | { state: 'refused'; fault: Fault };

/** Whose a thing that exists is; `nobody`: what it belongs to is gone, so it will be, too. */
export type Whose = { ours: true } | { ours: false; whose: string };

export const needTarget = ({ subscriptionId }: Arm, manifest: Manifest): Result<Target> => {
  const target = targetOf(subscriptionId, manifest);
  if (target !== undefined) return ok(target);
  return failed('invalid', `${manifest.kind} needs a management cluster, and there is none`, {
    code: 'ManagementClusterNeeded',
  });
};

export async function read(
  { calls }: Arm,
  { id, apiVersion }: Pick<Target, 'id' | 'apiVersion'>,
  signal?: AbortSignal,
): Promise<Result<Read>> {
  const answer = await calls.get(id, apiVersion, signal);
  if (!answer.ok) return answer;
  const { value } = answer;
  if (value.state === 'refused') return ok(value);
  const live = value.state === 'done' ? asObject(value.body) : undefined;
  return ok(live === undefined ? { state: 'absent' } : { state: 'there', live });
}

export async function whose(
  arm: Arm,
  target: Target,
  manifest: Manifest,
  live: ArmResource,
  signal?: AbortSignal,
): Promise<Result<Whose>> {
  if (taggedAt[target.kind] !== 'none') return ok(byTags(tagsIn(target, live), manifest, live));
  // Its name derives from the uid of the request.
  if (target.parent === undefined) return ok({ ours: true });
  const parent = await read(arm, target.parent, signal);
  if (!parent.ok) return parent;
  if (parent.value.state === 'refused') return faultFailure(parent.value.fault, target.parent.id);
  // It goes with what it belongs to.
  if (parent.value.state === 'absent') return ok({ ours: true });
  return ok(byTags(asObject(parent.value.live.tags), manifest, parent.value.live));
}

function byTags(tags: JsonObject | undefined, { kind, metadata }: Manifest, live: ArmResource): Whose {
  if (requestUidInTags(tags) === requestUidIn(metadata.labels)) return { ours: true };
  const id = textIn(live, 'id') ?? `${kind} ${metadata.name}`;
  return { ours: false, whose: `${id} exists already and belongs to ${describeOwner(tags) ?? 'somebody else'}` };
}

/** What a manifest amounts to, with what it takes from other resources. */
export async function wantedBody(
  arm: Arm,
  target: Target,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<Result<JsonObject>> {
  const values: Record<string, string> = {};
  for (const { field, id, kind, path } of needsOf(target, manifest.spec)) {
    const source = await read(arm, { id, apiVersion: apiVersionOf(usualVersion(kind)) }, signal);
    if (!source.ok) return source;
    const value = source.value.state === 'there' ? textIn(source.value.live, ...path) : undefined;
    if (value === undefined) return failed('not-ready', `${path.at(-1)} of ${id} is not known yet`);
    values[field] = value;
  }
  return ok(bodyOf(target, manifest.spec, values));
}

/**
 * @param live What it replaces; without it, nothing may be there. AKS checks both; of the rest, a group, an identity and the like, only
 * the reading right before says so.
 */
export async function put(
  { calls }: Arm,
  target: Target,
  body: JsonObject,
  live: ArmResource | undefined,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const { id: path, apiVersion, kind } = target;
  const whole = live === undefined ? body : withLive(kind, body, live);
  const answer = await calls.call({ verb: 'PUT', path, apiVersion, body: whole, headers: follows(kind, live) }, signal);
  if (!answer.ok) return answer;
  switch (answer.value.state) {
    case 'done':
      return ok(undefined);
    case 'changed':
      return failed('not-ready', `${path} has changed since it was read`);
    case 'absent':
      return failed('not-ready', `what ${path} belongs to is not there`);
    case 'refused':
      return faultFailure(answer.value.fault, kind);
  }
}

function withLive(kind: Target['kind'], body: JsonObject, live: ArmResource): JsonObject {
  if (kind === 'ManagedCluster') return withLivePools(body, live);
  return kind === 'ManagedClustersAgentPool' ? withLiveCount(body, live) : body;
}

function follows(kind: Target['kind'], live: ArmResource | undefined): Record<string, string> {
  if (kind !== 'ManagedCluster' && kind !== 'ManagedClustersAgentPool') return {};
  if (live === undefined) return { 'if-none-match': '*' };
  const tag = textIn(live, 'eTag') ?? textIn(live, 'properties', 'eTag');
  return tag === undefined ? {} : { 'if-match': tag };
}
