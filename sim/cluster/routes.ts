/** From a path to what is meant by it. */
import type { Registry } from './resources/registry.ts';
import type { Resource } from './types.ts';

export interface Target {
  resource: Resource;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string;
}

/** Undefined where nothing is served. */
export function targetOf(registry: Registry, segments: string[]): Target | undefined {
  const [root] = segments;
  if (root === 'api') return locate(registry, segments[1] ?? '', segments.slice(2));
  if (root === 'apis') return locate(registry, `${segments[1]}/${segments[2]}`, segments.slice(3));
  return undefined;
}

function locate(registry: Registry, apiVersion: string, rest: string[]): Target | undefined {
  // `namespaces/x` and `namespaces/x/status` mean the namespace itself; anything longer means what is in it.
  const inNamespace = rest[0] === 'namespaces' && rest.length >= 3 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const namespace = inNamespace ? rest[1] : undefined;
  const [plural = '', name, subresource = '', ...tooMuch] = inNamespace ? rest.slice(2) : rest;
  const resource = registry.find(apiVersion, plural);
  if (!resource || tooMuch.length > 0 || name === '') return undefined;
  if (inNamespace && !resource.namespaced) return undefined;
  // Objects in namespaces are listed over all of them without one, but never named without one.
  if (resource.namespaced && !inNamespace && name !== undefined) return undefined;
  return { resource, namespace, name, subresource };
}
