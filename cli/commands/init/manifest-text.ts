/** A first claim or pool, with the node class that it needs. */

import { stringify } from 'yaml';
import { defined } from '../../../shared/base/defined.ts';
import type { ManifestHalf } from '../../../shared/providers/wizard.ts';
import type { Plan } from './plan.ts';

export function manifestText(plan: Plan, half: ManifestHalf, file: string): string {
  const { kind, name } = plan.wish;
  const count = plan.wish.replicas;
  const what = kind === 'claim' ? 'One node' : count === 1 ? 'One node, kept running' : `${count} nodes, kept running`;
  const documents = [
    ...(half.nodeClass === undefined ? [] : [`# ${half.nodeClass.comment}\n${stringify(half.nodeClass.object)}`]),
    kind === 'claim' ? claimText(name, half) : poolText(name, plan.wish.replicas, half),
  ];
  return `# ${what}: kubectl apply -f ${file}\n${documents.join('---\n')}`;
}

function claimText(name: string, { ref, labels, requirements, requests }: ManifestHalf): string {
  return `${stringify({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, ...defined({ labels }) },
  })}${stringify({ spec: { nodeClassRef: ref } })}${requirementsText(requirements, 2)}${indented(stringify({ resources: { requests } }), 2)}`;
}

function poolText(name: string, replicas: number, { ref, labels, requirements }: ManifestHalf): string {
  return `${stringify({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name } })}spec:
  replicas: ${replicas}
  template:
${labels === undefined ? '' : indented(stringify({ metadata: { labels } }), 4)}    spec:
${indented(stringify({ nodeClassRef: ref }), 6)}${requirementsText(requirements, 6)}      # A node is replaced at this age.
      expireAfter: 720h
  limits:
    nodes: "${Math.max(replicas + 1, 2)}"
  disruption:
    consolidateAfter: Never
    budgets:
      - nodes: "1"
`;
}

const requirementsText = ({ comment, list }: ManifestHalf['requirements'], by: number): string =>
  indented(`# ${comment}\n${stringify({ requirements: list })}`, by);

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
