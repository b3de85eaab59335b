/** A real kube-apiserver with an etcd of its own, on loopback, with TLS and RBAC; its data ends with it. */

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../shared/base/defined.ts';
import { createHttpClient } from '../../shared/net/http-client.ts';
import { freePorts } from '../free-ports.ts';
import { type KubeAccess, type KubeCluster, kubeCluster } from './cluster.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { getPart } from './parts.ts';

export interface KubeApiserverOptions {
  /** Writes down every request that was answered, one JSON object per line, for those who count them. */
  audit?: boolean;
  /** Further flags of kube-apiserver; later ones win. */
  flags?: string[];
  /** For kube-apiserver and etcd, such as GOGC. */
  env?: Record<string, string>;
  /** PEM of an authority whose client certificates are accepted. */
  clientCa?: string;
}

export interface KubeApiserver extends KubeCluster {
  readonly adminToken: string;
  /** Only with `audit`. */
  readonly auditLog: string;
  readonly pids: { readonly apiserver: number; readonly etcd: number };
  stop(): Promise<void>;
}

const readyMs = 60_000;
const tries = 3;

export async function startKubeApiserver(options: KubeApiserverOptions = {}): Promise<KubeApiserver> {
  const programs = { etcd: await getPart('etcd'), apiserver: await getPart('kube-apiserver') };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(programs, options);
    } catch (error) {
      // A port that was free a moment ago may be taken by now.
      if (attempt === tries || !String(error).includes('address already in use')) throw error;
    }
  }
}

async function startOnce(
  programs: { etcd: string; apiserver: string },
  options: KubeApiserverOptions,
): Promise<KubeApiserver> {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-kube-'));
  const processes: GuardedProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const one of processes.splice(0).reverse()) await one.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const removeOnExit = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeOnExit);
  try {
    const [port, etcdPort, peerPort] = await freePorts(3);
    const etcd = await startGuarded(programs.etcd, etcdFlags(directory, etcdPort!, peerPort!), {
      logFile: join(directory, 'etcd.log'),
      ...defined({ env: options.env }),
    });
    processes.push(etcd);
    const adminToken = randomUUID();
    const flags = apiserverFlags(directory, port!, etcdPort!, adminToken, options);
    const apiserver = await startGuarded(programs.apiserver, flags, {
      logFile: join(directory, 'kube-apiserver.log'),
      ...defined({ env: options.env }),
    });
    processes.push(apiserver);
    const access = await ready(`https://127.0.0.1:${port}`, directory, adminToken, [etcd, apiserver]);
    return {
      ...kubeCluster(access),
      adminToken,
      auditLog: join(directory, 'audit.log'),
      pids: { apiserver: apiserver.pid, etcd: etcd.pid },
      stop: async () => {
        process.off('exit', removeOnExit);
        await stop();
      },
    };
  } catch (error) {
    process.off('exit', removeOnExit);
    await stop();
    throw error;
  }
}

const etcdFlags = (directory: string, port: number, peerPort: number): string[] => [
  '--name=default',
  `--data-dir=${join(directory, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
  // Nothing here has to outlive a loss of power.
  '--unsafe-no-fsync',
  '--log-level=warn',
];

function apiserverFlags(
  directory: string,
  port: number,
  etcdPort: number,
  adminToken: string,
  options: KubeApiserverOptions,
): string[] {
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccountKey = file('service-account.key', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
  mkdirSync(join(directory, 'certificates'));
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    '--endpoint-reconciler-type=none',
    `--cert-dir=${join(directory, 'certificates')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--token-auth-file=${file('tokens.csv', `${adminToken},admin,admin,"system:masters"\n`)}`,
    '--authorization-mode=RBAC',
    // Nothing here makes default service accounts, nor takes away the taint of a node that is not ready yet.
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
    ...(options.clientCa === undefined ? [] : [`--client-ca-file=${file('client-ca.crt', options.clientCa)}`]),
    ...(options.audit !== true ? [] : auditFlags(directory, file)),
    ...(options.flags ?? []),
  ];
}

const auditFlags = (directory: string, file: (name: string, text: string) => string): string[] => [
  `--audit-policy-file=${file(
    'audit-policy.yaml',
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n',
  )}`,
  `--audit-log-path=${join(directory, 'audit.log')}`,
];

async function ready(
  url: string,
  directory: string,
  adminToken: string,
  processes: GuardedProcess[],
): Promise<KubeAccess & { token: string }> {
  let died: string | undefined;
  for (const one of processes) void one.ended.then((text) => (died = text));
  const until = Date.now() + readyMs;
  let last = 'no answer yet';
  while (Date.now() < until) {
    if (died !== undefined) throw new Error(`kube-apiserver or etcd has ended:\n${died}`);
    const ca = readIfThere(join(directory, 'certificates', 'apiserver.crt'));
    if (ca !== undefined) {
      const client = createHttpClient({ baseUrl: url, userAgent: 'poolwright-tests', ca, token: () => adminToken });
      const answer = await client.request({ method: 'GET', path: '/readyz', timeoutMs: 5000 });
      client.close();
      if (answer.ok && answer.status === 200)
        return { url, ca, token: adminToken, kubeconfig: writeKubeconfig(directory, url, ca, adminToken) };
      last = answer.ok ? answer.text : answer.message;
    }
    await pause(50);
  }
  throw new Error(`kube-apiserver was not ready after ${readyMs / 1000} s: ${last}`);
}

function readIfThere(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    // It may be in the middle of being written.
    return text.trimEnd().endsWith('-----END CERTIFICATE-----') ? text : undefined;
  } catch {
    return undefined;
  }
}

function writeKubeconfig(directory: string, url: string, ca: string, token: string): string {
  const path = join(directory, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    clusters: [
      { name: 'test', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token } }],
  };
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(config, null, 2), { mode: 0o600 });
  return path;
}
