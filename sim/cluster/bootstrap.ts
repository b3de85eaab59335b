/** What a fresh cluster contains: its namespaces, and the kinds that Poolwright works with. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { isObject, type Json } from '../../shared/base/json.ts';
import { crdStorage } from './resources/custom-resources.ts';
import type { ClusterStore } from './store/cluster-store.ts';
import { type JsonObject, sameJson, textAt } from './types.ts';
import { writeOptions } from './writes.ts';

const definitionsFolder = fileURLToPath(new URL('../../infra/kubernetes/crds/', import.meta.url));
const firstNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * Safe to repeat: what is there already stays, with its uid. Definitions follow the files when those change.
 *
 * @param withDefinitions False for a cluster as a cloud hands it over, which has no kind of ours.
 */
export async function bootstrap(store: ClusterStore, withDefinitions = true): Promise<void> {
  const namespaces = store.resource({ apiVersion: 'v1', plural: 'namespaces' });
  for (const name of firstNamespaces) {
    if (!store.objects.get('namespaces', name)) {
      store.writes.create(namespaces, undefined, { metadata: { name } }, writeOptions());
    }
  }
  const kinds = store.resource({ apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' });
  for (const definition of withDefinitions ? readDefinitions() : []) {
    const name = textAt(definition, 'metadata', 'name');
    const present = store.objects.get(crdStorage, name);
    if (!present) store.writes.create(kinds, undefined, definition, writeOptions());
    else if (!sameJson(present.object.spec, definition.spec)) {
      const change = (current: JsonObject) => ({ ...current, spec: definition.spec ?? {} });
      store.writes.update(kinds, undefined, name, change, writeOptions(), 'patch');
    }
  }
  await store.committed();
}

/** To read YAML takes a third of a second; many simulated clusters may start in one process. */
const read = new Map<string, string>();

/** Of Poolwright's kinds, and those of others that it serves. */
export function readDefinitions(folder = definitionsFolder): JsonObject[] {
  const known = read.get(folder) ?? JSON.stringify(parseFolder(folder));
  read.set(folder, known);
  return JSON.parse(known) as JsonObject[];
}

const parseFolder = (folder: string): JsonObject[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Json),
    )
    .filter((one) => isObject(one));
