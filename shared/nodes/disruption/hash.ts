/**
 * Fingerprints that tell whether a claim was made from the template, and for the node class, as they are now.
 *
 * The version names the way of counting. A claim that carries another version was stamped by somebody else, or by an older
 * release: then the hashes say nothing, and it is stamped anew instead of being replaced. Karpenter does the same with ours.
 */
import { fingerprint } from '../../base/fingerprint.ts';
import type { StoredPool } from './types.ts';

export const hashVersion = 'poolwright-1';

/**
 * The requirements are left out: a node that still meets changed requirements is not replaced, which is judged node by node.
 * The order of taints means nothing, and neither does an absent field beside an empty one.
 */
export function templateHash({ metadata, spec }: StoredPool['spec']['template']): string {
  const { requirements: _, resources: __, ...rest } = spec;
  return fingerprint({ metadata: { labels: metadata?.labels, annotations: metadata?.annotations }, spec: rest });
}
