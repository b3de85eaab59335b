/** The configuration as a person would write it: short, commented, and without secrets. */

import { stringify } from 'yaml';
import { defined } from '../../../shared/base/defined.ts';
import type { Plan } from './plan.ts';

const head = `# Poolwright's configuration. Every field: docs/configuration.md. Check it with: poolwright config check
`;

export function configurationText({ provider, deployment, cluster, values }: Plan): string {
  const tag = `
# Stands on every machine as a tag. Two deployments that share a cloud account need two names.
${stringify({ deployment })}`;
  if (provider === 'sim' || cluster === undefined) {
    return `${head}${tag}
# No cluster and no provider: the host starts a simulated cluster and a simulated cloud by itself.
`;
  }
  const { name, kubeconfig, context } = cluster;
  const way = { kubeconfig, ...defined({ context }), providers: [provider] };
  return `${head}${tag}
clusters:
  # Your name for it; it stands in logs and commands.
  ${stringify(name).trim()}:
${indented(stringify(way), 4)}    # The cap: never more claims than this have a machine. Raise it when you trust it.
    maxInstances: 10

providers:
  ${provider}:
${indented(stringify({ type: provider, ...values }), 4)}${extras[provider]}`;
}

const extras = {
  aks: `    # Credentials come from the environment or from az login; none stands here. See docs/azure-rights.md.
`,
  arc: `    # Credentials come from the environment or from az login; none stands here. See docs/azure-rights.md.
`,
  ec2: `    # Only where no Karpenter runs in this cluster: then EC2NodeClasses are its own.
    serveEc2NodeClasses: true
    # Credentials come from the environment or from your AWS profile; none stands here. See docs/aws-rights.md.
`,
} as const;

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
