/**
 * Manifests of a few years ago as those of today, each change told. What one object gives up another may need (sizes, settings of the
 * kubelet), so all objects of a file are converted together.
 */
import { asObject } from '../../base/json.ts';
import { convertManagedCluster } from './managed-cluster.ts';
import { type ConvertedNodeClass, convertNodeClass } from './node-class.ts';
import { addSizes, type ConvertedNodePool, convertNodePool, nodeClassOf } from './node-pool.ts';
import type { Converted, Fields } from './note.ts';

/** In the same order. Of other kinds each object comes back as it is, and with no notes. */
export function convertAll(objects: readonly Fields[]): Converted[] {
  const converted = objects.map(convertOne);
  const classes = new Map<string, ConvertedNodeClass>();
  for (const one of converted) {
    const name = nameOf(one.object);
    if ('instanceTypes' in one && name !== undefined) {
      classes.set(name, one);
    }
  }
  for (const one of converted) {
    if (!('kubelet' in one)) continue;
    const nodeClass = classes.get(nodeClassOf(one.object) ?? '');
    if (nodeClass === undefined) continue;
    if (addSizes(one.object, nodeClass.instanceTypes)) {
      const text = 'now has a requirement with the sizes of its node class';
      one.notes.push({ kind: 'changed', field: 'spec.template.spec.requirements', text });
    }
    takeOver(one, nodeClass.object);
  }
  adviseOnPlace(converted);
  return converted.map(({ object, notes }) => ({ object, notes }));
}

type Any = Converted | ConvertedNodeClass | ConvertedNodePool;

function convertOne(object: Fields): Any {
  const group = String(object.apiVersion).split('/')[0];
  if (object.kind === 'AKSNodeClass' && group === 'karpenter.azure.com') return convertNodeClass(object);
  if (object.kind === 'NodePool' && group === 'karpenter.sh') return convertNodePool(object);
  if (object.kind === 'ManagedCluster' && group === 'containerservice.azure.com') return convertManagedCluster(object);
  return { object, notes: [] };
}

export const isConvertible = ({ apiVersion, kind }: Fields): boolean =>
  (kind === 'AKSNodeClass' && String(apiVersion).startsWith('karpenter.azure.com/')) ||
  (kind === 'NodePool' && String(apiVersion).startsWith('karpenter.sh/')) ||
  (kind === 'ManagedCluster' && String(apiVersion).startsWith('containerservice.azure.com/'));

const nameOf = ({ metadata }: Fields): string | undefined => {
  const name = asObject(metadata)?.name;
  return typeof name === 'string' ? name : undefined;
};

/** What a class says itself counts. */
function takeOver({ kubelet, maxPods }: ConvertedNodePool, nodeClass: Fields): void {
  const spec = asObject(nodeClass.spec) ?? {};
  nodeClass.spec = spec;
  if (Object.keys(kubelet).length > 0) spec.kubelet = { ...kubelet, ...asObject(spec.kubelet) };
  if (maxPods !== undefined) spec.maxPods ??= maxPods;
}

/** Node classes and pools live in the cluster whose nodes they describe, and their kinds exist only there. */
function adviseOnPlace(converted: readonly Any[]): void {
  if (!converted.some(({ object }) => object.kind === 'ManagedCluster')) return;
  for (const one of converted) {
    if (one.object.kind !== 'AKSNodeClass' && one.object.kind !== 'NodePool') continue;
    const text = 'it belongs into the new cluster, when that is ready; not next to the ManagedCluster';
    one.notes.push({ kind: 'advice', field: 'kind', text });
  }
}
