/** What can be judged of a spec that is partly malformed, so that its author learns of all mistakes at once. */
import { isObject, type Json } from '../../base/json.ts';
import { type ClusterRequestSpec, clusterRequestSpecSchema } from '../request/schema.ts';

/** Takes the place of a location that is missing or malformed. */
const someLocation = 'unknown';
/** Each round removes what was found to be wrong; what is inside an object is only seen when the object is well-formed. */
const mostRounds = 8;

/** The spec without its malformed fields; undefined if that leaves nothing that can be judged. */
export function readablePart(spec: unknown): ClusterRequestSpec | undefined {
  if (!isObject(spec)) return undefined;
  const copy = structuredClone(spec) as { [field: string]: Json };
  for (let round = 0; round < mostRounds; round++) {
    const parsed = clusterRequestSpecSchema.safeParse(copy);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
      for (const key of keys) remove(copy, key === undefined ? issue.path : [...issue.path, key]);
    }
    copy.location ??= someLocation;
  }
  return undefined;
}

function remove(root: unknown, path: readonly PropertyKey[]): void {
  let at = root as Record<PropertyKey, unknown> | undefined;
  for (const [index, key] of path.entries()) {
    if (typeof at !== 'object' || at === null) return;
    // An entry of a list goes with the list: the others would have other numbers.
    const last = index === path.length - 1;
    if (last || Array.isArray(at[key])) {
      delete at[key];
      return;
    }
    at = at[key] as Record<PropertyKey, unknown> | undefined;
  }
}
