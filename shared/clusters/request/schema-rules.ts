/**
 * What the object alone decides, for the API server to refuse by itself, also where no webhook is. The rules of shared/clusters/rules/ say
 * the same with a field and a fix; whatever needs Azure, a policy or other requests is theirs alone.
 */
import type { Rule } from '../../kube/crds/schema-parts.ts';

/** Azure allows upper case and underscores in the name of a cluster, and no dots. */
export const clusterNamePattern = '^[a-zA-Z0-9]([-_a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$';
export const resourceGroupPattern = '^[-\\w.()]{0,89}[-\\w()]$';
export const dnsPrefixPattern = '^[a-zA-Z0-9]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?$';

const onlyWith = (field: string, nodes: string): Rule => ({
  rule: `!has(self.nodePool) || !has(self.nodePool.${field}) || (has(self.nodes) && self.nodes == '${nodes}')`,
  message: `nodePool.${field} has a meaning with nodes: ${nodes} only; remove it, or set nodes: ${nodes}`,
});

export const requestRules: readonly Rule[] = [
  {
    rule: '!has(self.lifetime) || !has(self.deleteGuard) || !self.deleteGuard',
    message: 'a guarded cluster is not deleted at the end of its lifetime; remove lifetime, or remove deleteGuard',
  },
  onlyWith('replicas', 'poolwright'),
  onlyWith('minCount', 'agentPools'),
  onlyWith('maxCount', 'agentPools'),
  {
    rule: '!has(self.nodePool) || !has(self.nodePool.minCount) || !has(self.nodePool.maxCount) || self.nodePool.minCount <= self.nodePool.maxCount',
    message: 'nodePool.minCount is more than nodePool.maxCount; lower it, or raise maxCount',
  },
];
