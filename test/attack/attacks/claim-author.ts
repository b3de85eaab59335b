/** With the right to create NodeClaims, and no other: claims that take long to look at. */
import { type Attack, expectQuiet } from '../attack.ts';
import { claim, secondsToReady, send, watchHealth } from '../neighbor.ts';
import type { Stage } from '../stage.ts';

const claimsPath = '/apis/karpenter.sh/v1/nodeclaims';
const values = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

async function crowd({ world, startHost }: Stage, count: number, spec: (index: number) => object): Promise<string> {
  const host = await startHost();
  const quiet = await secondsToReady(world, 'quiet');
  const health = watchHealth(host);
  for (let index = 0; index < count; index++) {
    await send(world.cluster.url, claimsPath, claim(`hostile-${index}`, spec(index)));
  }
  const attacked = await secondsToReady(world, 'attacked');
  const slowest = await health();
  return [expectQuiet('claim', quiet, attacked), expectQuiet('/healthz', 0, slowest)].join('; ');
}

const requirement = (index: number, count: number) => ({
  key: `example.com/key-${index}`,
  operator: 'NotIn',
  values: values(count, `value-${index}`),
});

export const largeClaims: Attack = {
  name: 'twenty claims of a megabyte',
  run: (stage) =>
    crowd(stage, 20, () => ({ requirements: Array.from({ length: 50 }, (_, index) => requirement(index, 1000)) })),
};

export const manyValues: Attack = {
  name: 'a hundred requirements with a thousand values each, ten times',
  run: (stage) =>
    crowd(stage, 10, () => ({
      requirements: Array.from({ length: 100 }, () => requirement(0, 1000)).map((one, index) => ({
        ...one,
        values: values(1000, `v${index}`),
      })),
    })),
};
