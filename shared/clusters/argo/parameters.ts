/**
 * The parameters of the exported workflow, and how they get into manifests. The one generator works on words that stand for them; those
 * words become Argo's placeholders afterwards, so the export can't drift from what Poolwright applies itself.
 */
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Resolved } from '../resolved/resolve.ts';

export interface WorkflowParameter {
  readonly name: string;
  readonly description: string;
  /** Argo asks for it at every submission where it is absent. */
  readonly value?: string;
  readonly enum?: readonly string[];
}

export const placeholder = (parameter: string): string => `{{workflow.parameters.${parameter}}}`;

/** An expression that Argo evaluates to true or false. A dash would be a minus there, so names are an index. */
export const condition = (parameter: string, rest: string): string =>
  `{{=workflow.parameters['${parameter}'] ${rest}}}`;

const words = {
  'cluster-name': 'pwclustername',
  location: 'pwlocation',
  'kubernetes-version': 'pwkubernetesversion',
  'node-pool-type': 'pwnodepooltype',
  'primary-vm-size': 'pwprimaryvmsize',
  'secondary-vm-size': 'pwsecondaryvmsize',
  'sku-family': 'pwskufamily',
  'max-cpu': 'pwmaxcpu',
  'max-memory': 'pwmaxmemory',
  'system-vm-size': 'pwsystemvmsize',
  'git-url': 'pwgiturl',
  'git-branch': 'pwgitbranch',
} as const;

/** What a request says, with a word for each parameter. */
export function parameterized(resolved: Resolved, { nap, tainted }: { nap: boolean; tainted: boolean }): Resolved {
  const name = words['cluster-name'];
  const { nodePool, gitOps } = resolved;
  const type = words['node-pool-type'];
  return {
    ...resolved,
    name,
    clusterName: name,
    location: words.location,
    resourceGroup: `rg-${name}`,
    // AKS's own name for it may become too long, which no parameter could check.
    nodeResourceGroup: `rg-${name}-nodes`,
    dnsPrefix: name,
    kubernetesVersion: words['kubernetes-version'],
    nodes: nap ? 'nap' : 'agentPools',
    nodePool: {
      ...nodePool,
      type,
      family: words['sku-family'],
      vmSizes: [words['primary-vm-size'], words['secondary-vm-size']],
      exactSizes: true,
      limits: { ...nodePool.limits, cpu: words['max-cpu'], memory: words['max-memory'] },
      labels: { ...nodePool.labels, 'node-pool-type': type, 'cluster-name': name },
      taints: tainted ? [{ key: type, value: 'true', effect: 'NoSchedule' }] : [],
    },
    systemPool: { ...resolved.systemPool, vmSize: words['system-vm-size'] },
    gitOps: {
      ...(gitOps ?? usualGitOps),
      url: words['git-url'],
      // A tag, a range of versions or a commit of the request stays as it is.
      ...(gitOps !== undefined && gitOps.branch === undefined ? {} : { branch: words['git-branch'] }),
    },
  };
}

const usualGitOps: NonNullable<Resolved['gitOps']> = {
  url: '',
  public: true,
  mode: 'extension',
  provider: 'Generic',
  interval: '5m',
  kustomizations: [{ name: 'cluster', path: './', dependsOn: [], prune: true, wait: true }],
};

/** The words as placeholders. */
export function withPlaceholders<T extends Json>(value: T): T {
  if (typeof value === 'string') return inText(value) as T;
  if (Array.isArray(value)) return value.map((one) => withPlaceholders(one)) as T;
  if (!isObject(value)) return value;
  const fields = Object.entries(value as JsonObject).map(([key, one]) => [inText(key), withPlaceholders(one)] as const);
  return Object.fromEntries(fields) as T;
}

const inText = (text: string): string =>
  Object.entries(words).reduce((done, [name, word]) => done.replaceAll(word, placeholder(name)), text);

/** The twelve of the design's names, those of GitOps, and the image that a step in the new cluster runs. */
export function parametersOf(
  resolved: Resolved,
  { types, kubectlImage }: { types: readonly string[]; kubectlImage: string | undefined },
): WorkflowParameter[] {
  const { nodePool, systemPool, kubernetesVersion, gitOps } = resolved;
  const [primary = '', secondary = primary] = nodePool.vmSizes;
  const flag = ['true', 'false'];
  const absent = (value: string | undefined): { value?: string } => (value === undefined ? {} : { value });
  return [
    { name: 'cluster-name', description: 'Name of the cluster: lowercase letters, digits and dashes, 52 at most.' },
    { name: 'location', description: 'Azure location, such as westeurope.', ...absent(resolved.location || undefined) },
    { name: 'node-pool-type', description: 'Type of the node pool.', value: nodePool.type, enum: types },
    {
      name: 'enable-nap',
      description: 'Whether AKS makes nodes for pods. Otherwise an agent pool with an autoscaler does.',
      value: String(resolved.nodes !== 'agentPools'),
      enum: flag,
    },
    {
      name: 'dry-run',
      description: 'Whether manifests are only validated.',
      value: String(resolved.dryRun),
      enum: flag,
    },
    { name: 'kubernetes-version', description: 'Such as 1.35 or 1.35.2.', ...absent(kubernetesVersion) },
    { name: 'primary-vm-size', description: 'The VM size that nodes should have.', value: primary },
    { name: 'secondary-vm-size', description: 'The VM size for when that is not available.', value: secondary },
    { name: 'sku-family', description: 'The family of both sizes.', value: nodePool.family },
    { name: 'max-cpu', description: 'CPUs of all nodes together.', value: String(nodePool.limits.cpu ?? '1000') },
    {
      name: 'max-memory',
      description: 'Memory of all nodes together.',
      value: String(nodePool.limits.memory ?? '1000Gi'),
    },
    { name: 'system-vm-size', description: 'VM size of the system nodes.', value: systemPool.vmSize },
    { name: 'git-url', description: 'Repository for Flux; empty: no GitOps.', value: gitOps?.url ?? '' },
    { name: 'git-branch', description: 'Branch of the repository.', value: gitOps?.branch ?? 'main' },
    {
      name: 'kubectl-image',
      description: 'Container image with kubectl 1.31 or newer as its command or on its PATH.',
      ...absent(kubectlImage),
    },
  ];
}
