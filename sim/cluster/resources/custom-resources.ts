/** CustomResourceDefinitions: checking one, and the resource that it makes the server serve. */

import { defined } from '../../../shared/base/defined.ts';
import { isObject } from '../../../shared/base/json.ts';
import { type Cause, invalidValue, requiredValue, unsupportedValue } from '../api-error.ts';
import { readJsonPath } from '../json-path.ts';
import { scalePathsOf } from '../scale.ts';
import { type Draft, fieldAt, type JsonObject, type KubeObject, listAt, type Resource, textAt } from '../types.ts';
import { metadataSchema } from './builtin-schemas.ts';
import { declaredColumns } from './columns.ts';
import type { Schema } from './schema.ts';

export const crdStorage = 'customresourcedefinitions.apiextensions.k8s.io';

/** All that keeps a definition from being served. */
export function validateDefinition(definition: JsonObject): Cause[] {
  const causes: Cause[] = [];
  const group = textAt(definition, 'spec', 'group');
  const plural = textAt(definition, 'spec', 'names', 'plural');
  for (const path of [['group'], ['scope'], ['names', 'plural'], ['names', 'kind']]) {
    if (textAt(definition, 'spec', ...path) === '') causes.push(requiredValue(`spec.${path.join('.')}`));
  }
  const scope = textAt(definition, 'spec', 'scope');
  if (scope !== '' && scope !== 'Cluster' && scope !== 'Namespaced') {
    causes.push(unsupportedValue('spec.scope', scope, ['Cluster', 'Namespaced']));
  }
  const name = textAt(definition, 'metadata', 'name');
  if (group !== '' && plural !== '' && name !== `${plural}.${group}`) {
    causes.push(invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  }
  const versions = listAt(definition, 'spec', 'versions');
  if (versions.filter((version) => fieldAt(version, 'storage') === true).length !== 1) {
    causes.push(invalidValue('spec.versions', versions, 'must have exactly one version marked as storage version'));
  }
  versions.forEach((version, i) => {
    if (!isObject(fieldAt(version, 'schema', 'openAPIV3Schema'))) {
      causes.push(requiredValue(`spec.versions[${i}].schema.openAPIV3Schema`, 'schemas are required'));
    }
  });
  return causes;
}

/** The state of a definition that is served from now on. */
export function establishedStatus(definition: JsonObject, now: string): JsonObject {
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    reason,
    message,
  });
  const storage = listAt(definition, 'spec', 'versions').find((version) => fieldAt(version, 'storage') === true);
  return {
    acceptedNames: fieldAt(definition, 'spec', 'names') ?? {},
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    storedVersions: [textAt(storage, 'name')],
  };
}

/**
 * The resource behind a definition. Only the version that is stored is served: the simulator converts nothing.
 * A version that is not served makes no resource.
 */
export function resourceOf(definition: KubeObject): Resource | undefined {
  const version = listAt(definition, 'spec', 'versions').find((one) => fieldAt(one, 'storage') === true);
  if (!isObject(version) || version.served !== true) return undefined;
  const names = fieldAt(definition, 'spec', 'names');
  const declared = (fieldAt(version, 'schema', 'openAPIV3Schema') ?? {}) as Schema;
  const schema: Schema = {
    ...declared,
    properties: { apiVersion: {}, kind: {}, ...declared.properties, metadata: metadataSchema },
  };
  const statusSubresource = isObject(fieldAt(version, 'subresources', 'status'));
  const scale = scalePathsOf(version);
  return {
    group: textAt(definition, 'spec', 'group'),
    version: textAt(version, 'name'),
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular') || textAt(names, 'kind').toLowerCase(),
    kind: textAt(names, 'kind'),
    shortNames: listAt(names, 'shortNames').map(String),
    categories: listAt(names, 'categories').map(String),
    namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
    statusSubresource,
    ...defined({ scale }),
    statusMayChangeMetadata: false,
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    createOnUpdate: false,
    returnsDeletedObject: false,
    custom: true,
    schema,
    columns: declaredColumns(fieldAt(version, 'additionalPrinterColumns')),
    selectableFields: Object.fromEntries(
      listAt(version, 'selectableFields').map((field) => {
        const path = textAt(field, 'jsonPath');
        return [path.replace(/^\./, ''), (object: KubeObject) => String(readJsonPath(object, path)[0] ?? '')];
      }),
    ),
    listKeys: { 'metadata.finalizers': [], 'metadata.ownerReferences': ['uid'], ...listKeysOf(schema) },
    ...(statusSubresource
      ? {
          prepareForCreate: (draft: Draft) => {
            delete draft.status;
          },
        }
      : {}),
  };
}

/** Lists of the schema that are maps or sets, by path. */
function listKeysOf(schema: Schema, path = '', found: { [path: string]: string[] } = {}): { [path: string]: string[] } {
  if (schema['x-kubernetes-list-type'] === 'map') found[path] = schema['x-kubernetes-list-map-keys'] ?? [];
  else if (schema['x-kubernetes-list-type'] === 'set') found[path] = [];
  if (schema.items) listKeysOf(schema.items, path, found);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    listKeysOf(property, path === '' ? name : `${path}.${name}`, found);
  }
  return found;
}
