/** The four ways to patch, by content type. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { badRequest, unsupportedMediaType } from '../api-error.ts';
import { type JsonObject, own, type Resource } from '../types.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicPatch } from './strategic-patch.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const byContentType: { [contentType: string]: PatchType } = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Custom resources have no strategic merge: their lists have no keys that the server would know from code. */
export function patchTypeOf(contentType: string, resource: Resource): PatchType {
  const type = own(byContentType, contentType);
  if (type === undefined || (type === 'strategic' && resource.custom)) {
    const accepted = Object.keys(byContentType).filter((one) => !resource.custom || byContentType[one] !== 'strategic');
    throw unsupportedMediaType(accepted);
  }
  return type;
}

export function applyPatch(
  current: JsonObject,
  type: Exclude<PatchType, 'apply'>,
  patch: Json,
  resource: Resource,
): JsonObject {
  const result = patchOf(current, type, patch, resource);
  if (!isObject(result)) throw badRequest('the result of the patch is not an object');
  return result;
}

function patchOf(current: JsonObject, type: Exclude<PatchType, 'apply'>, patch: Json, resource: Resource): Json {
  if (type === 'json') return jsonPatch(current, patch);
  if (!isObject(patch)) throw badRequest('error decoding patch: a merge patch must be a JSON object');
  return type === 'merge' ? mergePatch(current, patch) : strategicPatch(current, patch, resource.listKeys);
}
