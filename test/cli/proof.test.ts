import { expect, test } from 'vitest';
import { prove, reportProofs } from '../../cli/commands/demo/proof.ts';
import type { DemoWorld, Sight } from '../../cli/commands/demo/world.ts';

const gone = { id: 'i-1', goneAt: 5 };
const alive = { id: 'i-2', goneAt: null };

function worldWith(changes: { [Key in keyof Sight]?: object[] }, overlaps = 0): DemoWorld {
  const never = (): never => {
    throw new Error('a proof changes nothing');
  };
  const sight = { claims: [], nodes: [], ledger: [gone], ...changes };
  return {
    look: async () => JSON.parse(JSON.stringify(sight)) as Sight,
    overlaps: async () => overlaps,
    create: never,
    deleteClaim: never,
    setFaults: never,
    close: never,
  };
}

async function verdict(world: DemoWorld): Promise<{ holds: boolean; wrong: string[] }> {
  const lines: string[] = [];
  const holds = reportProofs(await prove(world, 1), { line: (text) => void lines.push(text) }, 'the world');
  return { holds, wrong: lines.filter((line) => line.includes('but expected')).map((line) => line.trim()) };
}

test('a world in which nothing is left passes', async () => {
  expect(await verdict(worldWith({}))).toEqual({ holds: true, wrong: [] });
});

test.each<[string, DemoWorld, string]>([
  ['a claim', worldWith({ claims: [{}] }), '1  claims left in the cluster, but expected 0'],
  ['a node', worldWith({ nodes: [{}] }), '1  nodes left in the cluster, but expected 0'],
  ['a living instance', worldWith({ ledger: [alive] }), '1  instances running in the cloud, but expected 0'],
  [
    'one too many',
    worldWith({ ledger: [gone, gone] }),
    '2  instances ever created, one for each claim, but expected 1',
  ],
  ['an overlap', worldWith({}, 1), '1  times that a claim had two instances at once, but expected 0'],
])('%s is found and named', async (_, world, line) => {
  expect(await verdict(world)).toEqual({ holds: false, wrong: [line] });
});
