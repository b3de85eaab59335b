/** What flags and surroundings say before anybody is asked. */
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { manifestOf, manifests } from '../../../shared/providers/manifests.ts';
import type { ClusterChoice } from '../../reach/cluster-access.ts';
import type { Consent } from '../../terminal/confirm.ts';
import { configNameProblem, objectNameProblem, type Plan, refuse } from './plan.ts';

export interface InitOptions extends Omit<ClusterChoice, 'dataDir'>, Consent {
  provider?: string;
  cluster?: string;
  deployment?: string;
  claim?: string;
  pool?: string;
  replicas?: string;
  file?: string;
  manifest?: string;
  force?: boolean;
  /** By the flags of the providers. */
  [field: string]: unknown;
}

export interface Known {
  hasCluster: boolean;
  provider: string | undefined;
  isProviderGiven: boolean;
  /** By flags: not asked for again. */
  given: Readonly<Record<string, string>>;
  /** By flags, the cluster or the environment: filled in. */
  values: Readonly<Record<string, string>>;
  wish: Plan['wish'] | undefined;
}

const mostReplicas = 1000;

/** Flags that can't be used are told all at once, before anything is looked at. */
export function checkFlags(options: InitOptions): void {
  const { claim, pool, replicas, cluster, deployment, provider } = options;
  const problems: string[] = [];
  const named = (flag: string, text: string | undefined, problem: (text: string) => string | undefined): void => {
    const found = text === undefined ? undefined : problem(text);
    if (found !== undefined) problems.push(`${flag} ${JSON.stringify(text)}: ${found}`);
  };
  named('--claim', claim, objectNameProblem);
  named('--pool', pool, objectNameProblem);
  named('--cluster', cluster, configNameProblem);
  named('--deployment', deployment, configNameProblem);
  if (claim !== undefined && pool !== undefined)
    problems.push('--claim and --pool cannot be combined: pass only one of them.');
  if (replicas !== undefined && pool === undefined) problems.push('--replicas needs --pool.');
  if (replicas !== undefined && !(/^\d{1,4}$/.test(replicas) && Number(replicas) <= mostReplicas)) {
    problems.push(`--replicas must be a whole number from 0 to ${mostReplicas}.`);
  }
  const simulated = provider !== undefined && manifestOf(provider)?.simulated === true;
  if (simulated && (options.context !== undefined || options.kubeconfig !== undefined)) {
    problems.push(`--provider ${provider} has its own simulated cluster: do not pass --context or --kubeconfig.`);
  }
  if (options.kubeconfig !== undefined && !options.kubeconfig.split(delimiter).some((file) => existsSync(file))) {
    problems.push(`--kubeconfig: file ${options.kubeconfig} does not exist.`);
  }
  if (
    options.file !== undefined &&
    options.manifest !== undefined &&
    resolve(options.file) === resolve(options.manifest)
  )
    problems.push('--file and --manifest must be different files.');
  refuse(problems);
}

export function wishOf({ claim, pool, replicas }: InitOptions): Plan['wish'] | undefined {
  if (pool !== undefined) return { kind: 'pool', name: pool, replicas: Number(replicas ?? 1) };
  return claim === undefined ? undefined : { kind: 'claim', name: claim, replicas: 1 };
}

export function givenValues(options: InitOptions): Record<string, string> {
  const fields = manifests.flatMap(({ flags }) => Object.keys(flags));
  return Object.fromEntries(
    fields
      .map((field) => [field, options[field]])
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
