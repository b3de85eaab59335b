/** A simulated cluster with claims in every state, behind a kubeconfig that commands take. Its clock stands still. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../cli/main.ts';
import { plainTerminal, type Terminal } from '../../cli/terminal/terminal.ts';
import type { Json } from '../../shared/base/json.ts';
import { countingIds, manualClock, seededRandom, systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type ClusterApi, type KubeObject, nodeClaims, nodes } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { kubeconfigFor, type ClusterApi as Server, startClusterApi } from '../../sim/cluster/server.ts';

/** What commands must take for the present, so that ages are always the same. */
export const present = Date.UTC(2026, 2, 4, 5, 6, 7);

export interface ClusterWorld {
  server: Server;
  api: ClusterApi;
  kubeconfig: string;
  /** A command on this cluster. */
  run(...args: string[]): Promise<{ code: number; out: string; err: string }>;
  /** One that goes on until it is ended. */
  begin(...args: string[]): Running;
  claim(name: string, given?: GivenClaim): Promise<void>;
  node(name: string, given?: GivenNode): Promise<void>;
  /** Cuts all that commands have open; until `mend` nothing gets through. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export interface Running {
  /** Waits until what was said has this in it. */
  says(text: string | RegExp): Promise<string>;
  /** As Ctrl-C does. */
  end(): Promise<{ code: number; out: string; err: string }>;
}

export interface GivenClaim {
  metadata?: { [field: string]: Json };
  annotations?: Record<string, string>;
  /** As in the record of the attempt; the uid is filled in. */
  attempt?: { [field: string]: Json };
  status?: { [field: string]: Json };
}

export interface GivenNode {
  metadata?: { [field: string]: Json };
  spec?: { [field: string]: Json };
  ready?: { status: string; reason?: string; message?: string };
}

/** `history`: how many changes the server remembers for watches that come back. */
export async function clusterWorld({ history }: { history?: number } = {}): Promise<ClusterWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-get-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const clock = manualClock(present - 90_000);
  const server = await startClusterApi({
    file: ':memory:',
    port: 0,
    clock,
    random: seededRandom(1),
    ids: countingIds(),
    ...(history === undefined ? {} : { history: { events: history, characters: 1024 * 1024 } }),
  });
  const line = await startLine(server.port);
  writeFileSync(kubeconfig, kubeconfigFor(`http://127.0.0.1:${line.port}`));
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 20_000, fieldManager: 'test' };
  const api = connectCluster({ name: 'sim', url: server.url, ...common });
  const start = (args: string[], more: Partial<Terminal> = {}) => {
    const said = { out: '', err: '' };
    const heard: (() => void)[] = [];
    const add = (stream: 'out' | 'err') => (text: string) => {
      said[stream] += text;
      for (const listener of heard) listener();
    };
    const terminal = plainTerminal({ out: add('out'), err: add('err') }, more);
    return { said, heard, code: main([...args, '--kubeconfig', kubeconfig], terminal) };
  };
  return {
    server,
    api,
    kubeconfig,
    async run(...args) {
      const { said, code } = start(args);
      return { code: await code, ...said };
    },
    begin(...args) {
      const control = new AbortController();
      const { said, heard, code } = start(args, { signal: control.signal });
      return {
        says: (text) =>
          new Promise((resolve, reject) => {
            const look = (): void => {
              const all = said.out + said.err;
              if (typeof text === 'string' ? all.includes(text) : text.test(all)) resolve(all);
            };
            heard.push(look);
            look();
            code.then(() => reject(new Error(`it ended after it had said:\n${said.out}${said.err}`)), reject);
          }),
        async end() {
          control.abort();
          return { code: await code, ...said };
        },
      };
    },
    claim: (name, given) => addClaim(api, name, given),
    node: (name, given) => addNode(api, name, given),
    cut: line.cut,
    mend: line.mend,
    async close() {
      api.close();
      await line.close();
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What lies between a command and its cluster. */
async function startLine(target: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const line = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
    return undefined;
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const address = line.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    mend: () => {
      isCut = false;
    },
    close: () => {
      cut();
      return new Promise<void>((resolve) => line.close(() => resolve()));
    },
  };
}

async function addClaim(api: ClusterApi, name: string, given: GivenClaim = {}): Promise<void> {
  const { uid } = mustBe(
    await api.create<KubeObject>(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, ...given.metadata },
      spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
    }),
  ).metadata;
  const attempt = given.attempt && { 'poolwright.dev/attempt': JSON.stringify({ uid, ...given.attempt }) };
  const annotations = { ...given.annotations, ...attempt };
  mustBe(await api.mergePatch(nodeClaims, { name }, { metadata: { annotations } }));
  if (given.status) {
    mustBe(await api.mergePatch(nodeClaims, { name }, { status: given.status }, { subresource: 'status' }));
  }
}

async function addNode(api: ClusterApi, name: string, given: GivenNode = {}): Promise<void> {
  const ready = { type: 'Ready', ...(given.ready ?? { status: 'True' }) };
  mustBe(
    await api.create<KubeObject>(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, ...given.metadata },
      spec: { providerID: `sim:///zone-a/${name}`, ...given.spec },
      status: { conditions: [ready] },
    }),
  );
}

export function mustBe<T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

export const condition = (type: string, status: string, reason = type, message = ''): { [field: string]: string } => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-03-04T05:05:07Z',
});

/** What a life leaves on a claim that is ready. */
export const readyClaim = (name: string): GivenClaim => ({
  metadata: {
    labels: {
      'karpenter.sh/nodepool': 'workers',
      'karpenter.sh/capacity-type': 'spot',
      'node.kubernetes.io/instance-type': 'general-large',
      'topology.kubernetes.io/zone': 'zone-a',
    },
    finalizers: ['karpenter.sh/termination'],
  },
  annotations: { 'poolwright.dev/price-per-hour': '0.0384' },
  attempt: { attempt: 1, provider: 'sim', state: 'open', offering: { instanceType: 'general-large' } },
  status: {
    providerID: `sim:///zone-a/i-${name}`,
    nodeName: `i-${name}`,
    imageID: 'sim-image-1',
    conditions: ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => condition(type, 'True')),
  },
});
