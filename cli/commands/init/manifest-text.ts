/** A first claim or pool, with the node class that it needs. */

import { stringify } from 'yaml';
import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import type { Plan, ProviderType } from './plan.ts';

interface Half {
  /** Undefined where no object is needed. */
  nodeClass?: { comment: string; object: Json };
  ref: { group: string; kind: string; name: string };
  labels?: Record<string, string>;
  requirements: { comment: string; list: Json };
  /** What a claim asks for; a pool has no requests of its own. */
  requests: Record<string, string>;
}

export function manifestText(plan: Plan, file: string): string {
  const { kind, name } = plan.wish;
  const half = halves[plan.provider](plan);
  const count = plan.wish.replicas;
  const what =
    kind === 'claim'
      ? 'One node'
      : count === 1
        ? 'One node that is always there'
        : `${count} nodes that are always there`;
  const documents = [
    ...(half.nodeClass === undefined ? [] : [`# ${half.nodeClass.comment}\n${stringify(half.nodeClass.object)}`]),
    kind === 'claim' ? claimText(name, half) : poolText(name, plan.wish.replicas, half),
  ];
  return `# ${what}: kubectl apply -f ${file}\n${documents.join('---\n')}`;
}

function claimText(name: string, { ref, labels, requirements, requests }: Half): string {
  return `${stringify({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, ...defined({ labels }) },
  })}${stringify({ spec: { nodeClassRef: ref } })}${requirementsText(requirements, 2)}${indented(stringify({ resources: { requests } }), 2)}`;
}

function poolText(name: string, replicas: number, { ref, labels, requirements }: Half): string {
  return `${stringify({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name } })}spec:
  replicas: ${replicas}
  template:
${labels === undefined ? '' : indented(stringify({ metadata: { labels } }), 4)}    spec:
${indented(stringify({ nodeClassRef: ref }), 6)}${requirementsText(requirements, 6)}      # A node is replaced when it is this old.
      expireAfter: 720h
  limits:
    nodes: "${Math.max(replicas + 1, 2)}"
  disruption:
    consolidateAfter: Never
    budgets:
      - nodes: "1"
`;
}

const requirementsText = ({ comment, list }: Half['requirements'], by: number): string =>
  indented(`# ${comment}\n${stringify({ requirements: list })}`, by);

const capacity = (values: string[]): Json => [{ key: 'karpenter.sh/capacity-type', operator: 'In', values }];
const sizes = (values: string[]): Json => [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values }];

const halves: Readonly<Record<ProviderType, (plan: Plan) => Half>> = {
  sim: () => ({
    nodeClass: {
      comment: 'What is special to nodes of the simulated cloud: nothing.',
      object: simple('poolwright.dev/v1alpha1', 'SimNodeClass'),
    },
    ref: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: { comment: 'Spot is cheaper, and may be taken back.', list: capacity(['spot', 'on-demand']) },
    requests: { cpu: '2', memory: '4Gi' },
  }),
  aks: () => ({
    // No object is needed for this kind.
    ref: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
    labels: { 'kaito.sh/workspace': 'none' },
    requirements: {
      comment: 'The cheapest of these that can be had. poolwright get offerings lists all.',
      list: sizes(['Standard_D2s_v5', 'Standard_D2as_v5', 'Standard_D4s_v3']),
    },
    requests: { storage: '64Gi' },
  }),
  arc: () => ({
    nodeClass: {
      comment: 'What is special to nodes of this kind: nothing yet.',
      object: simple('poolwright.dev/v1alpha1', 'ArcNodeClass'),
    },
    ref: { group: 'poolwright.dev', kind: 'ArcNodeClass', name: 'default' },
    requirements: {
      comment: 'The cheapest of these that can be had. poolwright get offerings lists all.',
      list: sizes(['Standard_A4_v2', 'Standard_D4s_v3']),
    },
    requests: { cpu: '2' },
  }),
  ec2: ({ values, nodeRole }) => {
    const cluster = values.clusterName ?? '';
    /** Made anew each time: the same object twice would be written as an alias. */
    const discovery = () => ({ tags: { 'karpenter.sh/discovery': cluster } });
    return {
      nodeClass: {
        comment: `Subnets and security groups are found by a tag, and the role must be known to the cluster: change what is different with you.`,
        object: {
          apiVersion: 'karpenter.k8s.aws/v1',
          kind: 'EC2NodeClass',
          metadata: { name: 'default' },
          spec: {
            amiSelectorTerms: [{ alias: 'al2023@latest' }],
            subnetSelectorTerms: [discovery()],
            securityGroupSelectorTerms: [discovery()],
            role: nodeRole ?? `KarpenterNodeRole-${cluster}`,
          },
        },
      },
      ref: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: { comment: 'Spot is cheaper, and may be taken back.', list: capacity(['spot', 'on-demand']) },
      requests: { cpu: '2', memory: '4Gi' },
    };
  },
};

const simple = (apiVersion: string, kind: string): Json => ({
  apiVersion,
  kind,
  metadata: { name: 'default' },
  spec: {},
});

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
