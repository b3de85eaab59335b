/** OpenAPI documents, made from the registry: v3 for `kubectl explain` and field checks, v2 for older clients. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type JsonObject, type Resource } from '../types.ts';

/** `karpenter.sh/v1` is found at `apis/karpenter.sh/v1`, `v1` at `api/v1`. */
function documentPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
}

export function openApiIndex(registry: Registry): JsonObject {
  const versions = [...new Set(registry.all().map(apiVersionOf))].sort();
  return {
    paths: Object.fromEntries(
      versions.map((version) => {
        const path = documentPath(version);
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${registry.revision}` }];
      }),
    ),
  };
}

export function openApiV3(registry: Registry, path: string): JsonObject | undefined {
  const resources = registry.all().filter((resource) => documentPath(apiVersionOf(resource)) === path);
  if (resources.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Poolwright simulated cluster', version: 'v1.32.0' },
    paths: Object.assign({}, ...resources.map((resource) => pathsOf(resource, 'v3'))) as JsonObject,
    components: {
      schemas: Object.fromEntries(resources.map((resource) => [schemaName(resource), schemaOf(resource)])),
    },
  };
}

export function openApiV2(registry: Registry): JsonObject {
  const resources = registry.all();
  return {
    swagger: '2.0',
    info: { title: 'Poolwright simulated cluster', version: 'v1.32.0' },
    paths: Object.assign({}, ...resources.map((resource) => pathsOf(resource, 'v2'))) as JsonObject,
    definitions: Object.fromEntries(resources.map((resource) => [schemaName(resource), schemaOf(resource)])),
  };
}

const kindOf = ({ group, version, kind }: Resource): JsonObject => ({ group, version, kind });

function schemaName(resource: Resource): string {
  const domain = resource.group === '' ? ['io', 'k8s', 'api', 'core'] : resource.group.split('.').reverse();
  return [...domain, resource.version, resource.kind].join('.');
}

function schemaOf(resource: Resource): JsonObject {
  const schema = plain(resource.schema);
  return { ...(isObject(schema) ? schema : {}), 'x-kubernetes-group-version-kind': [kindOf(resource)] };
}

/** A schema as plain JSON, without the fields that are not set. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function pathsOf(resource: Resource, format: 'v2' | 'v3'): JsonObject {
  const root = `/${documentPath(apiVersionOf(resource))}`;
  const many = resource.namespaced ? `${root}/namespaces/{namespace}/${resource.plural}` : `${root}/${resource.plural}`;
  const operation = (action: string, queries: string[], answer: boolean): JsonObject => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kindOf(resource),
    parameters: queries.map((name) =>
      format === 'v3'
        ? { name, in: 'query', schema: { type: 'string' } }
        : { name, in: 'query', type: 'string', uniqueItems: true },
    ),
    responses: { '200': answer ? okAnswer(resource, format) : { description: 'OK' } },
  });
  const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
  return {
    [many]: {
      get: operation('list', ['labelSelector', 'fieldSelector', 'limit', 'continue', 'watch'], false),
      post: operation('post', writing, true),
    },
    [`${many}/{name}`]: {
      get: operation('get', [], true),
      put: operation('put', writing, true),
      patch: operation('patch', [...writing, 'force'], true),
      delete: operation('delete', ['dryRun', 'propagationPolicy'], false),
    },
  };
}

function okAnswer(resource: Resource, format: 'v2' | 'v3'): JsonObject {
  const name = schemaName(resource);
  if (format === 'v2') return { description: 'OK', schema: { $ref: `#/definitions/${name}` } };
  return {
    description: 'OK',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}
