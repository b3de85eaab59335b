/** JSON merge patch (RFC 7386). The target is not changed; untouched parts are shared with it. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { type JsonObject, own } from '../types.ts';

export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setOwn(result, name, mergePatch(own(result, name), value));
  }
  return result;
}

/** A field called `__proto__` is data like any other, never the prototype. */
function setOwn(target: JsonObject, name: string, value: Json): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else target[name] = value;
}
