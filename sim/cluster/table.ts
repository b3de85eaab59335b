/** Server-side printing: the Table that `kubectl get` asks for. */
import type { Json } from '../../shared/base/json.ts';
import type { JsonObject, KubeObject, Resource } from './types.ts';

/** What each row carries besides its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  includeObject: IncludeObject;
  /** Watches send the column definitions with their first event only. */
  withColumns: boolean;
}

function columnDefinitions(resource: Resource): JsonObject[] {
  return resource.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority,
  }));
}

function tableRow(resource: Resource, object: KubeObject, now: number, include: IncludeObject): JsonObject {
  const cells: Json[] = resource.columns.map((column) => column.cell(object, now));
  if (include === 'None') return { cells };
  return { cells, object: include === 'Object' ? object : partialMetadata(object) };
}

export function tableOf(
  resource: Resource,
  objects: KubeObject[],
  listMetadata: JsonObject,
  now: number,
  options: TableOptions,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMetadata,
    columnDefinitions: options.withColumns ? columnDefinitions(resource) : null,
    rows: objects.map((object) => tableRow(resource, object, now, options.includeObject)),
  };
}

export function partialMetadata(object: KubeObject): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: object.metadata,
  };
}
