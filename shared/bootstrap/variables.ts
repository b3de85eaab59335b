/** What a template of user data can say about the node that is made, and where each value comes from. */
import type { Json } from '../base/json.ts';
import type { Taint } from '../nodes/claims/spec/types.ts';
import { kubeletLabels, sortedTaints, taintText } from './registration.ts';

/** Every variable begins with it, so that what other template languages write in the same braces is left alone. */
export const variablePrefix = 'poolwright';

/** Names without the prefix, with the text of the page about bootstrap. */
export const variableTexts = {
  'cluster.name': 'the name of the cluster',
  'cluster.endpoint': 'the URL of its API server, as the option `clusterEndpoint` says',
  'cluster.ca': 'the certificate of its authority, as the option `clusterCA` says',
  'cluster.version': 'its version of Kubernetes, as the option `kubernetesVersion` says',
  'claim.name': 'the name of the NodeClaim',
  'node.name': 'the name of the machine, and of its Node where the kubelet takes the hostname',
  'node.id': "the cloud's id of the machine",
  'node.provider-id': 'for `--provider-id` of the kubelet',
  'node.instance-type': 'the instance type',
  'node.zone': 'the zone',
  'node.capacity-type': '`on-demand`, `spot` or `reserved`',
  'node.labels': 'the labels that a kubelet may register with, as `key=value,…`',
  'node.taints':
    'the taints that the node must have from its first moment, as `key=value:effect,…`; `karpenter.sh/unregistered` is among them',
} as const;

export type VariableName = keyof typeof variableTexts;

/** `join.command` is the key `join-command` of the Secret; so is every other key that begins with `join-`, and no other key. */
export const joinPrefix = 'join.';
const secretPrefix = 'join-';

export const variableNames = Object.keys(variableTexts) as VariableName[];

/** `join.command` → `join-command`; undefined for what is not in the Secret. */
export const secretKeyOf = (name: string): string | undefined =>
  /^join\.[a-z0-9][a-z0-9-]*$/.test(name) ? `${secretPrefix}${name.slice(joinPrefix.length)}` : undefined;

export const isVariable = (name: string): boolean => name in variableTexts || secretKeyOf(name) !== undefined;

/** A value, in the ways that a filter may ask for. */
export interface Variable {
  text: string;
  /** For lists in YAML and JSON. */
  items?: readonly string[];
  /** With its parts, for configuration files that take objects. */
  parts?: Json;
}

export interface NodeFacts {
  clusterName: string;
  clusterEndpoint?: string | undefined;
  clusterCA?: string | undefined;
  kubernetesVersion?: string | undefined;
  claimName: string;
  name: string;
  instanceType: string;
  zone: string;
  capacityType: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  /** Absent where the cloud gives the id only once the machine is there. */
  id?: string | undefined;
  providerID?: string | undefined;
}

export type Variables = Partial<Record<VariableName, Variable>>;

export function nodeVariables(node: NodeFacts): Variables {
  const labels = kubeletLabels(node.labels);
  const taints = sortedTaints(node.taints);
  const pairs = labels.map(([key, value]) => `${key}=${value}`);
  const tainted = taints.map(taintText);
  return {
    'cluster.name': { text: node.clusterName },
    ...textOf('cluster.endpoint', node.clusterEndpoint),
    ...textOf('cluster.ca', node.clusterCA),
    ...textOf('cluster.version', node.kubernetesVersion),
    'claim.name': { text: node.claimName },
    'node.name': { text: node.name },
    ...textOf('node.id', node.id),
    ...textOf('node.provider-id', node.providerID),
    'node.instance-type': { text: node.instanceType },
    'node.zone': { text: node.zone },
    'node.capacity-type': { text: node.capacityType },
    'node.labels': { text: pairs.join(','), items: pairs, parts: Object.fromEntries(labels) },
    'node.taints': {
      text: tainted.join(','),
      items: tainted,
      parts: taints.map(({ key, value, effect }) => ({ key, effect, ...(value === undefined ? {} : { value }) })),
    },
  };
}

const textOf = (name: VariableName, text: string | undefined): Variables =>
  text === undefined ? {} : { [name]: { text } };
