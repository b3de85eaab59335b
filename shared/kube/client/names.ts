/** Whether an object can be what it says: what names it is kept for as long as it lives, so it must be as short as Kubernetes wants it. */
import { asObject, type Json } from '../../base/json.ts';

/** No name in Kubernetes is longer; uids and versions are far shorter. */
const longest = 253;

export function hasName(metadata: Json | undefined): boolean {
  const { name, namespace, uid, resourceVersion } = asObject(metadata) ?? {};
  return isShort(name) && [namespace, uid, resourceVersion].every((one) => one === undefined || isShort(one));
}

const isShort = (text: Json | undefined): boolean => typeof text === 'string' && text.length <= longest;
