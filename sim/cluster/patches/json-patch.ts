/** JSON patch (RFC 6902). */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { badRequest, patchDoesNotApply } from '../api-error.ts';
import { sameJson } from '../types.ts';

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const maxOperations = 10_000;

/** Applies the whole patch to a copy, or throws and applies nothing. */
export function jsonPatch(target: Json, patch: Json): Json {
  if (!Array.isArray(patch)) {
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  }
  if (patch.length > maxOperations) {
    throw badRequest(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`);
  }
  let document = structuredClone(target);
  for (const operation of patch) document = applyOne(document, operation);
  return document;
}

function applyOne(document: Json, operation: Json): Json {
  if (!isObject(operation) || typeof operation.op !== 'string' || !operations.has(operation.op)) {
    throw patchDoesNotApply();
  }
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case 'test': {
      const actual = read(document, path);
      // A missing value equals null, as in the library that the real server uses.
      if (!sameJson(actual ?? null, operation.value ?? null)) throw patchDoesNotApply();
      return document;
    }
    case 'remove':
      return remove(document, path);
    case 'replace':
      return replace(document, path, givenValue(operation));
    case 'add':
      return add(document, path, givenValue(operation));
    default: {
      const from = parsePointer(operation.from);
      const value = read(document, from);
      if (value === undefined) throw patchDoesNotApply();
      const base = operation.op === 'move' ? remove(document, from) : document;
      return add(base, path, structuredClone(value));
    }
  }
}

function givenValue(operation: { [key: string]: Json }): Json {
  if (operation.value === undefined) throw patchDoesNotApply();
  return structuredClone(operation.value);
}

function parsePointer(pointer: Json | undefined): string[] {
  if (typeof pointer !== 'string') throw patchDoesNotApply();
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw patchDoesNotApply();
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(container: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(container)) return /^(0|[1-9]\d*)$/.test(step) ? container[Number(step)] : undefined;
  if (isObject(container) && Object.hasOwn(container, step)) return container[step];
  return undefined;
}

function read(document: Json, path: string[]): Json | undefined {
  let at: Json | undefined = document;
  for (const step of path) at = child(at, step);
  return at;
}

function parentOf(document: Json, path: string[]): { parent: Json | undefined; last: string } {
  return { parent: read(document, path.slice(0, -1)), last: path.at(-1) ?? '' };
}

function add(document: Json, path: string[], value: Json): Json {
  if (path.length === 0) return value;
  const { parent, last } = parentOf(document, path);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : /^(0|[1-9]\d*)$/.test(last) ? Number(last) : Number.NaN;
    if (!(index <= parent.length)) throw patchDoesNotApply();
    parent.splice(index, 0, value);
  } else if (isObject(parent) && last !== '__proto__') parent[last] = value;
  else throw patchDoesNotApply();
  return document;
}

/** A field that is not there is added, as by the library that the real server uses; a list element must be there. */
function replace(document: Json, path: string[], value: Json): Json {
  const there = read(document, path) !== undefined;
  if (!there && Array.isArray(parentOf(document, path).parent)) throw patchDoesNotApply();
  return path.length === 0 ? value : add(there ? remove(document, path) : document, path, value);
}

function remove(document: Json, path: string[]): Json {
  const { parent, last } = parentOf(document, path);
  if (path.length === 0 || child(parent, last) === undefined) throw patchDoesNotApply();
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent)) delete parent[last];
  return document;
}
