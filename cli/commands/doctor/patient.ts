/** What doctor can reach: the cluster of the kubeconfig and the host, each of them perhaps not. */
import type { Check } from '../../../shared/base/checks.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { ClusterApi } from '../../../shared/kube/contract.ts';
import { type ClusterChoice, openCluster } from '../../reach/cluster-access.ts';
import { type HostAddress, type HostApi, openHostApi } from '../../reach/host-api.ts';
import { UserError } from '../../terminal/user-error.ts';

export type PatientOptions = HostAddress & ClusterChoice;

export type Reached<T> = { api: T } | { problem: UserError };

export interface HostFindings {
  now: string;
  version: string;
  checks: Check[];
}

export interface ProviderInfo {
  name: string;
  type: string;
  clusters: string[];
  nodeClasses: string[];
  unavailableOfferings: number;
}

export interface Patient {
  readonly options: PatientOptions;
  readonly cluster: Reached<ClusterApi>;
  readonly host: Reached<HostApi>;
  /** Asked once, whoever needs the answer; with the time at which it came, by this machine. */
  findings(): Promise<HostFindings & { receivedAt: number }>;
  providers(): Promise<ProviderInfo[]>;
  close(): void;
}

export async function openPatient(options: PatientOptions): Promise<Patient> {
  const cluster = await reached(() => openCluster(options));
  const host = await reached(async () => openHostApi(options));
  const ask = <T>(question: (api: HostApi) => Promise<T>): (() => Promise<T>) => {
    let answer: Promise<T> | undefined;
    return () => {
      if ('problem' in host) return Promise.reject(host.problem);
      answer ??= question(host.api);
      return answer;
    };
  };
  return {
    options,
    cluster,
    host,
    findings: ask(async (api) => {
      const found = await api.ask<HostFindings>('GET', '/v1/checks');
      return { ...found, receivedAt: systemClock.now() };
    }),
    providers: ask(async (api) => (await api.ask<{ items: ProviderInfo[] }>('GET', '/v1/providers')).items),
    close: () => {
      if ('api' in cluster) cluster.api.close();
      if ('api' in host) host.api.close();
    },
  };
}

async function reached<T>(open: () => Promise<T>): Promise<Reached<T>> {
  try {
    return { api: await open() };
  } catch (error) {
    if (error instanceof UserError) return { problem: error };
    throw error;
  }
}
