/** What can be seen from here: contexts of the kubeconfig, what their cluster runs on, and credentials, of which no secret is read. */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { defined } from '../../../shared/base/defined.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { type KubeObject, nodes } from '../../../shared/kube/contract.ts';
import { kubeconfigFile, openCluster } from '../../reach/cluster-access.ts';
import type { ProviderType } from './plan.ts';

export interface Context {
  name: string;
  isCurrent: boolean;
  server: string;
}

/** Of the kubeconfig that kubectl would take, or of the named one. */
export function contextsOf(choice: { kubeconfig?: string }, env: NodeJS.ProcessEnv = process.env): Context[] {
  const files = kubeconfigFile(choice, env)
    .split(delimiter)
    .filter((file) => existsSync(file));
  const contexts = new Map<string, { cluster: string }>();
  const servers = new Map<string, string>();
  let current: string | undefined;
  for (const file of files) {
    const read = readYaml(file);
    if (current === undefined && typeof read['current-context'] === 'string') current = read['current-context'];
    for (const { name, context } of entries(read.contexts)) {
      if (!contexts.has(name)) contexts.set(name, { cluster: textAt(context, 'cluster') });
    }
    for (const { name, cluster } of entries(read.clusters)) {
      if (!servers.has(name)) servers.set(name, textAt(cluster, 'server'));
    }
  }
  return [...contexts].map(([name, { cluster }]) => ({
    name,
    isCurrent: name === current,
    server: servers.get(cluster) ?? '',
  }));
}

export interface Seen {
  provider?: ProviderType;
  values: Record<string, string>;
  /** For people: what was found, and where. */
  notes: string[];
}

type ANode = KubeObject & { spec?: { providerID?: string } };

/** Names tell much; a cluster that answers tells more. */
export async function lookAt(context: Context, choice: { kubeconfig?: string }): Promise<Seen> {
  const named = byNames(context);
  try {
    const api = await openCluster({ ...choice, context: context.name });
    try {
      const listed = await api.list<ANode>(nodes, { limit: 1 }, AbortSignal.timeout(5000));
      if (!listed.ok) return { ...named, notes: [`The cluster does not answer: ${listed.error.message}`] };
      const [node] = listed.value.items;
      const seen = node === undefined ? undefined : byNode(node);
      const provider = seen?.provider ?? named.provider;
      return {
        ...defined({ provider }),
        values: { ...named.values, ...seen?.values },
        notes: ['The cluster answers.'],
      };
    } finally {
      api.close();
    }
  } catch (error) {
    return {
      ...named,
      notes: [`The cluster can't be asked: ${errorText(error)}`],
    };
  }
}

/** By the address of the API server and the name of the context, as the clouds' own tools write them. */
export function byNames({ name, server }: Pick<Context, 'name' | 'server'>): Seen {
  const eks = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com/.exec(server);
  if (eks) {
    const [, byArn] = /^arn:aws[\w-]*:eks:[^:]+:\d+:cluster\/(.+)$/.exec(name) ?? [];
    const [, byEksctl] = /@([^.@]+)\.[a-z0-9-]+\.eksctl\.io$/.exec(name) ?? [];
    const clusterName = byArn ?? byEksctl;
    return {
      provider: 'ec2',
      values: { region: eks[1] ?? '', ...defined({ clusterName }) },
      notes: [],
    };
  }
  const aks = /\.([a-z0-9]+)\.azmk8s\.io/.exec(server);
  // `az aks get-credentials` calls the context after the cluster.
  if (aks)
    return { provider: 'aks', values: { location: aks[1] ?? '', clusterName: name.replace(/-admin$/, '') }, notes: [] };
  return { values: {}, notes: [] };
}

export function byNode({ metadata, spec }: ANode): Omit<Seen, 'notes'> {
  const { providerID = '' } = spec ?? {};
  const region = metadata.labels?.['topology.kubernetes.io/region'];
  const [, subscription] = /^azure:\/\/\/subscriptions\/([^/]+)\//.exec(providerID) ?? [];
  if (subscription !== undefined) {
    const group = metadata.labels?.['kubernetes.azure.com/cluster'] ?? '';
    // Only where no name in it holds an underscore of its own.
    const [, resourceGroup, clusterName] = /^MC_([^_]+)_([^_]+)_[^_]+$/i.exec(group) ?? [];
    return {
      provider: 'aks',
      values: {
        subscription,
        ...defined({ location: region }),
        ...(resourceGroup === undefined || clusterName === undefined ? {} : { resourceGroup, clusterName }),
      },
    };
  }
  if (providerID.startsWith('aws:///')) return { provider: 'ec2', values: region === undefined ? {} : { region } };
  return { values: {} };
}

/** Which credentials a host on this machine would find; a name of where they are, nothing of what they are. */
export function credentialsFor(provider: ProviderType, env: NodeJS.ProcessEnv, home = homedir()): string | undefined {
  if (provider === 'ec2') {
    if (env.AWS_ACCESS_KEY_ID) return 'AWS_ACCESS_KEY_ID';
    if (env.AWS_WEB_IDENTITY_TOKEN_FILE) return 'AWS_WEB_IDENTITY_TOKEN_FILE';
    if (env.AWS_PROFILE) return `the profile ${env.AWS_PROFILE}`;
    return ['.aws/credentials', '.aws/config'].map((file) => join(home, file)).find((file) => existsSync(file));
  }
  if (provider === 'aks' || provider === 'arc') {
    if (env.AZURE_CLIENT_ID && (env.AZURE_CLIENT_SECRET || env.AZURE_FEDERATED_TOKEN_FILE)) return 'AZURE_CLIENT_ID';
    return existsSync(join(home, '.azure/azureProfile.json')) ? 'az login' : undefined;
  }
  return 'none is needed';
}

/** What the environment says, under names that the clouds' own tools have. */
export const valuesFromEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> => {
  const found = {
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION,
    subscription: env.ARM_SUBSCRIPTION_ID || env.AZURE_SUBSCRIPTION_ID,
    resourceGroup: env.ARM_RESOURCE_GROUP,
    location: env.LOCATION,
  };
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => Boolean(entry[1])));
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textAt = (value: unknown, key: string): string =>
  isFields(value) && typeof value[key] === 'string' ? value[key] : '';

function readYaml(file: string): Fields {
  try {
    const value: unknown = parse(readFileSync(file, 'utf8'));
    return isFields(value) ? value : {};
  } catch {
    // What is wrong with it is said when it is used.
    return {};
  }
}

const entries = (list: unknown): (Fields & { name: string })[] =>
  (Array.isArray(list) ? list : []).flatMap((entry: unknown) =>
    isFields(entry) && typeof entry.name === 'string' ? [{ ...entry, name: entry.name }] : [],
  );
