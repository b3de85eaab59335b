/** What can be seen from here: contexts of the kubeconfig, what their cluster runs on, and credentials, of which no secret is read. */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { V1Node } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { defined } from '../../../shared/base/defined.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { isObject } from '../../../shared/base/json.ts';
import { nodes } from '../../../shared/kube/contract.ts';
import type { Stored } from '../../../shared/kube/stored.ts';
import type { ProviderManifest } from '../../../shared/providers/manifest.ts';
import { manifests as builtIn } from '../../../shared/providers/manifests.ts';
import type { Values, Wizard } from '../../../shared/providers/wizard.ts';
import { kubeconfigFile, openCluster } from '../../reach/cluster-access.ts';

const manifests: readonly ProviderManifest[] = builtIn;

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

export interface DetectedCloud {
  provider?: string;
  values: Record<string, string>;
  /** For people: what was found, and where. */
  notes: string[];
}

type ANode = Stored<V1Node>;

/** Names tell much; a cluster that answers tells more. */
export async function lookAt(context: Context, choice: { kubeconfig?: string }): Promise<DetectedCloud> {
  const named = await byNames(context);
  try {
    const api = await openCluster({ ...choice, context: context.name });
    try {
      const listed = await api.list<ANode>(nodes, { limit: 1 }, AbortSignal.timeout(5000));
      if (!listed.ok) return { ...named, notes: [`The cluster is unreachable: ${listed.error.message}`] };
      const [node] = listed.value.items;
      const seen = node === undefined ? undefined : await byNode(node);
      const provider = seen?.provider ?? named.provider;
      return {
        ...defined({ provider }),
        values: { ...named.values, ...seen?.values },
        notes: ['The cluster is reachable.'],
      };
    } finally {
      api.close();
    }
  } catch (error) {
    return {
      ...named,
      notes: [`The cluster can't be queried: ${errorText(error)}`],
    };
  }
}

type Recognize = (wizard: Wizard) => Values | undefined;

/** The first provider that recognizes it, and what it reads out of it. */
async function recognized(by: Recognize): Promise<Omit<DetectedCloud, 'notes'>> {
  for (const { type, wizard: load } of manifests) {
    const values = by((await load()).wizard);
    if (values !== undefined) return { provider: type, values: { ...values } };
  }
  return { values: {} };
}

/** By the address of the API server and the name of the context, as the clouds' own tools write them. */
export const byNames = async (context: Pick<Context, 'name' | 'server'>): Promise<DetectedCloud> => ({
  ...(await recognized((wizard) => wizard.byNames?.(context))),
  notes: [],
});

export const byNode = ({ metadata, spec }: ANode): Promise<Omit<DetectedCloud, 'notes'>> =>
  recognized((wizard) => wizard.byNode?.({ providerID: spec?.providerID ?? '', labels: metadata.labels ?? {} }));

/** Which credentials a host on this machine would find; a name of where they are, nothing of what they are. */
export const credentialsFor = ({ credentials }: Wizard, env: NodeJS.ProcessEnv, home = homedir()): string | undefined =>
  credentials(env, (file) => existsSync(join(home, file)));

/** What the environment says, under names that the clouds' own tools have. */
export async function valuesFromEnvironment(env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const wizards = await Promise.all(manifests.map(({ wizard }) => wizard()));
  const found = wizards.flatMap(({ wizard }) => Object.entries(wizard.fromEnvironment?.(env) ?? {}));
  return Object.fromEntries(found.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

type Fields = Record<string, unknown>;
const textAt = (value: unknown, key: string): string =>
  isObject(value) && typeof value[key] === 'string' ? value[key] : '';

function readYaml(file: string): Fields {
  try {
    const value: unknown = parse(readFileSync(file, 'utf8'));
    return isObject(value) ? value : {};
  } catch {
    // What is wrong with it is said when it is used.
    return {};
  }
}

const entries = (list: unknown): (Fields & { name: string })[] =>
  (Array.isArray(list) ? list : []).flatMap((entry: unknown) =>
    isObject(entry) && typeof entry.name === 'string' ? [{ ...entry, name: entry.name }] : [],
  );
