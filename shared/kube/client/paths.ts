/** Where things stand in the Kubernetes API. */
import { failed, ok, type Result } from '../../base/result.ts';
import type { ObjectRef, Resource } from '../contract.ts';

/** `/api/v1/nodes`, or `/apis/karpenter.sh/v1/nodeclaims`, or `/api/v1/namespaces/default/pods`. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const within = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${within}/${resource.plural}`;
}

/**
 * The path of one object. A name that is empty or made of dots is refused, because the path would then be that of the whole
 * collection: a delete would empty it.
 */
export function objectPath(resource: Resource, ref: ObjectRef, subresource?: string): Result<string> {
  if (!isPathPart(ref.name))
    return failed('invalid', `${JSON.stringify(ref.name)} is not a valid name of a ${resource.kind}`);
  if (resource.namespaced && (ref.namespace === undefined || !isPathPart(ref.namespace))) {
    return failed('invalid', `The ${resource.kind} ${ref.name} needs a namespace`);
  }
  const below = subresource === undefined ? '' : `/${subresource}`;
  return ok(`${collectionPath(resource, ref.namespace)}/${encodeURIComponent(ref.name)}${below}`);
}

function isPathPart(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !text.includes('/');
}
