/** Tags that a class gives its machines, and which of them are not for a class to give. */
import { z } from 'zod';
import type { Problem } from '../../../base/problems.ts';
import { extended } from '../../../nodes/api/parts.ts';

/** EC2 allows fifty tags; the rest is for what says whose a machine is. */
export const mostTags = 20;
const mostOwnTags = 35;
const longestKey = 128;
const longestValue = 256;

const restricted = [
  'karpenter.sh/nodepool',
  'karpenter.sh/nodeclaim',
  'karpenter.k8s.aws/ec2nodeclass',
  'eks:eks-cluster-name',
] as const;
const restrictedPrefixes = ['kubernetes.io/cluster/', 'poolwright.dev/', 'aws:'] as const;

const isRestricted = (key: string): boolean =>
  restricted.some((one) => one === key) || restrictedPrefixes.some((prefix) => key.startsWith(prefix));

const restrictedMessage = `these tags identify the owner of an instance and are set by the provisioner: ${restricted.join(', ')} and all that start with ${restrictedPrefixes.join(', ')}`;

export const tagsField = extended(z.record(z.string(), z.string()), {
  description: 'Tags of instances, volumes and launch templates, in addition to those that identify their owner.',
  maxProperties: mostOwnTags,
  'x-kubernetes-validations': [
    { rule: "self.all(k, k != '')", message: 'names of tags must not be empty' },
    {
      rule: `self.all(k, !(k in ${JSON.stringify(restricted)}) && ${restrictedPrefixes.map((prefix) => `!k.startsWith("${prefix}")`).join(' && ')})`,
      message: restrictedMessage,
    },
  ],
});

export function tagProblems(tags: Readonly<Record<string, string>>, path: string): Problem[] {
  const problems: Problem[] = [];
  const entries = Object.entries(tags);
  if (entries.length > mostOwnTags) {
    problems.push({ path, message: `has ${entries.length} tags; at most ${mostOwnTags} are allowed` });
  }
  for (const [key, value] of entries) {
    const at = `${path}[${JSON.stringify(key)}]`;
    if (key === '' || key.length > longestKey) {
      problems.push({ path: at, message: `names of tags have 1 to ${longestKey} characters` });
    } else if (isRestricted(key)) problems.push({ path: at, message: restrictedMessage });
    if (value.length > longestValue) {
      problems.push({ path: at, message: `values of tags have at most ${longestValue} characters` });
    }
  }
  return problems;
}
