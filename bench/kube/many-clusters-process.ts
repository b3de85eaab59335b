/**
 * A hundred simulated clusters and one cloud in a process of their own, for `black-hole.ts`. The last cluster stands behind a
 * gate that can swallow everything: connections stand, and nothing ever comes back.
 */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startSimCloud } from '../../sim/cloud/start.ts';
import { type ClusterApi, startClusterApi } from '../../sim/cluster/server.ts';

export interface Urls {
  cloud: string;
  /** The last one is behind the gate. */
  clusters: string[];
}

export interface Wave {
  prefix: string;
  perSecond: number;
  count: number;
}

export type Order = { id: number } & (
  | { order: 'swallow'; on: boolean }
  /** Claims in turn in all clusters but the last; answers the milliseconds from each claim's creation to Launched. */
  | { order: 'wave'; wave: Wave }
  /** Claims in the last cluster. */
  | { order: 'behind-gate'; prefix: string; count: number }
);

const claims = { apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' } as const;
const storage = 'nodeclaims.karpenter.sh';
const patienceMs = 60_000;

const clusters = await Promise.all(
  Array.from({ length: Number(process.argv[2]) }, () => startClusterApi({ file: ':memory:', port: 0 })),
);
// Machines never join: a claim is Launched as soon as the cloud has one, and that is what is measured.
const cloud = await startSimCloud({ bootSeconds: 0, registerSeconds: null });
for (const { store } of clusters) {
  const spec = { apiVersion: 'poolwright.dev/v1alpha1', kind: 'SimNodeClass', metadata: { name: 'bench' }, spec: {} };
  await store.create({ apiVersion: 'poolwright.dev/v1alpha1', plural: 'simnodeclasses' }, spec);
}
const others = clusters.slice(0, -1);
const last = clusters.at(-1) as ClusterApi;

const createdAt = new Map<string, number>();
const launched: number[] = [];
for (const { store } of others) {
  store.objects.hub.add({
    storage,
    tell: ({ object }) => {
      const started = createdAt.get(object.metadata.name);
      if (started === undefined) return;
      const { status } = object as { status?: { conditions?: { type: string; status: string }[] } };
      if (!status?.conditions?.some((one) => one.type === 'Launched' && one.status === 'True')) return;
      createdAt.delete(object.metadata.name);
      launched.push(performance.now() - started);
    },
    flush: () => {},
    bookmark: () => {},
    end: () => {},
  });
}

const gate = await openGate(last.port);
process.send?.({ ready: { cloud: cloud.url, clusters: [...others.map(({ url }) => url), gate.url] } satisfies Urls });
process.on('message', (order: Order) => {
  obey(order).then(
    (value) => process.send?.({ id: order.id, value }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function obey(order: Order): Promise<unknown> {
  switch (order.order) {
    case 'swallow':
      return gate.swallow(order.on);
    case 'wave':
      return runWave(order.wave);
    case 'behind-gate':
      for (let index = 0; index < order.count; index++) {
        await last.store.create(claims, claim(`${order.prefix}-${index}`));
      }
      return null;
  }
}

async function runWave({ prefix, perSecond, count }: Wave): Promise<number[]> {
  launched.length = 0;
  createdAt.clear();
  const started = performance.now();
  for (let index = 0; index < count; index++) {
    const wait = started + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await pause(wait);
    const name = `${prefix}-${index}`;
    createdAt.set(name, performance.now());
    await others[index % others.length]?.store.create(claims, claim(name));
  }
  const until = performance.now() + patienceMs;
  while (launched.length < count && performance.now() < until) await pause(20);
  // What never came counts as what it is: longer than anything.
  return [...launched, ...Array.from({ length: count - launched.length }, () => patienceMs)];
}

async function openGate(port: number) {
  let swallowing = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => void (swallowing || to.write(chunk)));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    swallow: (on: boolean): null => {
      swallowing = on;
      // What was swallowed is missing from the streams for good.
      if (!on) for (const socket of sockets) socket.destroy();
      return null;
    },
  };
}

function claim(name: string) {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'bench' },
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    },
  };
}
