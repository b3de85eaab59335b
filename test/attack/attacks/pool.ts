/** With the right to create NodePools. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, expectQuiet, expectThat } from '../attack.ts';
import { claim, claimsOf, secondsToReady, send, watchHealth } from '../neighbor.ts';
import type { Stage } from '../stage.ts';

const pool = (replicas: number, index: number) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: `hostile-${index}` },
  spec: { replicas, template: { spec: claim('any').spec } },
});

async function scale(
  { world, startHost }: Stage,
  { replicas, maxInstances, pools = 1 }: { replicas: number; maxInstances: number; pools?: number },
): Promise<string> {
  const host = await startHost({
    clusters: { quiet: { server: world.cluster.url, maxInstances, reconcile: { pools: '1s' } } },
  });
  await secondsToReady(world, 'quiet');
  const before = host.megabytes();
  const health = watchHealth(host);
  for (let index = 0; index < pools; index++) {
    await send(world.cluster.url, '/apis/karpenter.sh/v1/nodepools', pool(replicas, index));
  }
  await pause(8000);
  const slowest = await health();
  const claims = (await claimsOf(world)).length;
  const grown = host.megabytes() - before;
  const text = `${claims} claims; memory ${grown > 0 ? '+' : ''}${grown.toFixed(0)} MB`;
  expectThat(claims <= maxInstances + 1 && grown < 150, text);
  return [expectQuiet('/healthz', 0, slowest), text].join('; ');
}

export const billionReplicas: Attack = {
  name: 'a pool with a billion replicas',
  run: (stage) => scale(stage, { replicas: 1_000_000_000, maxInstances: 100 }),
};

export const beyondTheCap: Attack = {
  name: 'a pool with ten thousand replicas in a cluster with a cap of 12',
  run: (stage) => scale(stage, { replicas: 10_000, maxInstances: 12 }),
};

export const manyPools: Attack = {
  name: 'fifty pools with ten thousand replicas each in a cluster with a cap of 12',
  run: (stage) => scale(stage, { replicas: 10_000, maxInstances: 12, pools: 50 }),
};
