/** The scale subresource of custom resources: a view of the number that is wanted and of the number that is there. */
import { defined } from '../../shared/base/defined.ts';
import { isObject, type Json } from '../../shared/base/json.ts';
import { badRequest, invalid, invalidValue } from './api-error.ts';
import { mergePatch } from './patches/merge-patch.ts';
import { fieldAt, type JsonObject, type KubeObject, textAt } from './types.ts';

/** Where the two numbers stand, as paths of field names. */
export interface ScalePaths {
  wanted: string[];
  actual: string[];
}

/** Undefined where a version of a definition has no scale subresource. */
export function scalePathsOf(version: Json): ScalePaths | undefined {
  const scale = fieldAt(version, 'subresources', 'scale');
  if (!isObject(scale)) return undefined;
  const steps = (field: string): string[] =>
    textAt(scale, field)
      .split('.')
      .filter((step) => step !== '');
  return { wanted: steps('specReplicasPath'), actual: steps('statusReplicasPath') };
}

export function scaleOf(object: KubeObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const at = (path: string[]): number => Number(fieldAt(object, ...path) ?? 0);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...defined({ namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(paths.wanted) },
    status: { replicas: at(paths.actual) },
  };
}

/** The object with the number of a given Scale; a resourceVersion in that is a condition, as in any other write. */
export function withScale(object: KubeObject, scale: Json, paths: ScalePaths): JsonObject {
  const replicas = fieldAt(scale, 'spec', 'replicas') ?? 0;
  if (!Number.isInteger(replicas)) throw badRequest('spec.replicas of a Scale must be a whole number');
  if (Number(replicas) < 0) {
    const field = `.${paths.wanted.join('.')}`;
    throw invalid({ group: '', kind: 'Scale' }, object.metadata.name, [
      invalidValue(field, replicas, 'should be a non-negative integer'),
    ]);
  }
  const resourceVersion = textAt(scale, 'metadata', 'resourceVersion') || object.metadata.resourceVersion;
  const change = paths.wanted.reduceRight<Json>((inner, step) => ({ [step]: inner }), replicas);
  return mergePatch(object, mergePatch({ metadata: { resourceVersion } }, change)) as JsonObject;
}
