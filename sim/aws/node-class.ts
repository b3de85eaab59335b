/** A node class for the stand-in's account. In a file of its own: whoever makes one need not load the stand-in. */
import type { Json } from '../../shared/base/json.ts';

/** The EKS cluster that is there unless another is asked for. */
export const defaultCluster = 'demo';

/** A node class that finds the networks, the profile and the images of the stand-in's account. */
export const ec2NodeClass = (clusterName = defaultCluster, name = 'default'): { [key: string]: Json } => {
  const discovery = [{ tags: { 'karpenter.sh/discovery': clusterName } }];
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: discovery,
      securityGroupSelectorTerms: discovery,
      instanceProfile: `nodes-${clusterName}`,
    },
  };
};
