/** Paths that are not objects: discovery, OpenAPI, version, health. */
import { coreVersions, groupList, oneGroup, resourceList, serverVersion } from '../description/discovery.ts';
import { openApiIndex, openApiV2, openApiV3 } from '../description/openapi.ts';
import type { Registry } from '../resources/registry.ts';
import type { JsonObject } from '../types.ts';

/** The text of a health check, or undefined when the path is none. */
export function healthText(segments: string[]): string | undefined {
  return ['healthz', 'readyz', 'livez'].includes(segments[0] ?? '') ? 'ok' : undefined;
}

/** The document at a path, or undefined when there is none. */
export function documentAt(registry: Registry, segments: string[], host: string): JsonObject | undefined {
  const [root, first, second] = segments;
  const depth = segments.length;
  switch (root) {
    case undefined:
      return {
        paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
      };
    case 'version':
      return depth === 1 ? serverVersion : undefined;
    case 'api':
      if (depth === 1) return coreVersions(host);
      return depth === 2 ? resourceList(registry, first ?? '') : undefined;
    case 'apis':
      if (depth === 1) return groupList(registry);
      if (depth === 2) return oneGroup(registry, first ?? '');
      return depth === 3 ? resourceList(registry, `${first}/${second}`) : undefined;
    case 'openapi':
      if (first === 'v2' && depth === 2) return openApiV2(registry);
      if (first === 'v3')
        return depth === 2 ? openApiIndex(registry) : openApiV3(registry, segments.slice(2).join('/'));
      return undefined;
    default:
      return undefined;
  }
}
