import { defined } from '../../base/defined.ts';
import { capacityTypes, type Wizard } from '../wizard.ts';

export const wizard: Wizard = {
  byNames: ({ name, server }) => {
    const [, region] = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com/.exec(server) ?? [];
    if (region === undefined) return undefined;
    const [, byArn] = /^arn:aws[\w-]*:eks:[^:]+:\d+:cluster\/(.+)$/.exec(name) ?? [];
    const [, byEksctl] = /@([^.@]+)\.[a-z0-9-]+\.eksctl\.io$/.exec(name) ?? [];
    const clusterName = byArn ?? byEksctl;
    return { region, ...defined({ clusterName }) };
  },
  byNode: ({ providerID, labels }) => {
    if (!providerID.startsWith('aws:///')) return undefined;
    const region = labels['topology.kubernetes.io/region'];
    return defined({ region });
  },
  fromEnvironment: (env) => ({ region: env.AWS_REGION || env.AWS_DEFAULT_REGION }),
  credentials: (env, hasFile) => {
    if (env.AWS_ACCESS_KEY_ID) return 'AWS_ACCESS_KEY_ID';
    if (env.AWS_WEB_IDENTITY_TOKEN_FILE) return 'AWS_WEB_IDENTITY_TOKEN_FILE';
    if (env.AWS_PROFILE) return `profile ${env.AWS_PROFILE}`;
    const file = ['.aws/credentials', '.aws/config'].find(hasFile);
    return file === undefined ? undefined : `~/${file}`;
  },
  lines: [
    '# Set this only where Karpenter does not run in this cluster: there EC2NodeClasses belong to Karpenter.',
    'serveEc2NodeClasses: true',
    '# Credentials come from the environment or from your AWS profile; this file has none. See docs/aws-rights.md.',
  ],
  manifest: ({ clusterName = '', nodeRole }) => {
    /** Made anew each time: the same object twice would be written as an alias. */
    const discovery = () => ({ tags: { 'karpenter.sh/discovery': clusterName } });
    return {
      nodeClass: {
        comment:
          'Subnets and security groups are found by this tag. The cluster must allow the role. Change what differs in your account.',
        object: {
          apiVersion: 'karpenter.k8s.aws/v1',
          kind: 'EC2NodeClass',
          metadata: { name: 'default' },
          spec: {
            amiSelectorTerms: [{ alias: 'al2023@latest' }],
            subnetSelectorTerms: [discovery()],
            securityGroupSelectorTerms: [discovery()],
            role: nodeRole ?? `KarpenterNodeRole-${clusterName}`,
          },
        },
      },
      ref: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: {
        comment: 'Spot is cheaper, but the cloud may reclaim it.',
        list: capacityTypes(['spot', 'on-demand']),
      },
      requests: { cpu: '2', memory: '4Gi' },
    };
  },
};
