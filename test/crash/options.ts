/** The command line of the crash test. */

import { parseArgs } from 'node:util';
import { errorText } from '../../shared/base/error-text.ts';

export interface CrashOptions {
  /** What is made and deleted: NodeClaims, requests for whole clusters, or virtual machines. */
  subject: Subject;
  /** Of the subject clusters. */
  requests: number;
  /** Of the subject vms. */
  machines: number;
  /** What the product runs on: one process of its own, or the packages for Azure Functions and Lambda on stand-ins for these. */
  host: Host;
  provider: Provider;
  claims: number;
  kills: number;
  seed: number;
  /** What makes a repeated create harmless at the simulated cloud; on CloudStack and behind provider servers the name of a machine, or nothing. */
  idempotency: 'token' | 'name' | 'claim-name' | 'none';
  /** How many operations on agent pools may run at once in the cluster; AKS itself allows one. */
  atOnce: number;
  verbose: boolean;
}

export const providers = ['sim', 'aks', 'arc', 'ec2', 'cloudstack', 'remote'] as const;
export type Provider = (typeof providers)[number];

export const subjects = ['claims', 'clusters', 'vms'] as const;
export type Subject = (typeof subjects)[number];

export const hosts = ['local', 'azure', 'aws'] as const;
export type Host = (typeof hosts)[number];

const modes = ['token', 'name', 'claim-name', 'none'] as const;

export function readOptions(args: readonly string[]): CrashOptions | { problem: string } {
  let values: Record<string, string | boolean | undefined>;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        subject: { type: 'string', default: 'claims' },
        requests: { type: 'string', default: '20' },
        machines: { type: 'string', default: '100' },
        host: { type: 'string', default: 'local' },
        provider: { type: 'string', default: 'sim' },
        claims: { type: 'string', default: '100' },
        kills: { type: 'string', default: '10' },
        seed: { type: 'string', default: '1' },
        idempotency: { type: 'string' },
        'at-once': { type: 'string', default: '1' },
        verbose: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    return { problem: errorText(error) };
  }
  const whole = (name: string, least: number): number | undefined => {
    const number = Number(values[name]);
    return Number.isSafeInteger(number) && number >= least ? number : undefined;
  };
  const subject = subjects.find((one) => one === values.subject);
  const requests = whole('requests', 1);
  const machines = whole('machines', 1);
  const claims = whole('claims', 1);
  const kills = whole('kills', 0);
  const seed = whole('seed', 0);
  const provider = providers.find((one) => one === values.provider);
  const usual = provider === 'cloudstack' || provider === 'remote' ? 'none' : 'token';
  const idempotency = modes.find((mode) => mode === (values.idempotency ?? usual));
  const atOnce = whole('at-once', 1);
  const host = hosts.find((one) => one === values.host);
  if (subject === undefined) return { problem: `--subject must be one of ${subjects.join(', ')}` };
  if (requests === undefined) return { problem: '--requests must be a whole number from 1 on' };
  if (machines === undefined) return { problem: '--machines must be a whole number from 1 on' };
  if (host === undefined) return { problem: `--host must be one of ${hosts.join(', ')}` };
  if (provider === undefined) return { problem: `--provider must be one of ${providers.join(', ')}` };
  if (claims === undefined) return { problem: '--claims must be a whole number from 1 on' };
  if (kills === undefined) return { problem: '--kills must be a whole number from 0 on' };
  if (seed === undefined) return { problem: '--seed must be a whole number from 0 on' };
  if (!idempotency) return { problem: `--idempotency must be one of ${modes.join(', ')}` };
  if (atOnce === undefined || atOnce > 100) return { problem: '--at-once must be a whole number from 1 to 100' };
  if (provider === 'cloudstack' && idempotency !== 'name' && idempotency !== 'none') {
    return { problem: '--idempotency is name (of an administrator) or none on --provider cloudstack' };
  }
  if (provider === 'remote' && idempotency !== 'name' && idempotency !== 'none') {
    return { problem: '--idempotency is name (as servers of Poolwright have it) or none on --provider remote' };
  }
  if (!['sim', 'cloudstack', 'remote'].includes(provider) && idempotency !== 'token') {
    return {
      problem: '--idempotency is for --provider sim, cloudstack and remote: the others have what their cloud has',
    };
  }
  if (subject !== 'claims' && host !== 'local') return { problem: `--subject ${subject} runs with --host local` };
  const verbose = values.verbose === true;
  return { subject, requests, machines, host, provider, claims, kills, seed, idempotency, atOnce, verbose };
}
