/** The last lines: counts, read once more from the cluster and from the cloud's ledger when all is over. */
import type { Screen } from './screen.ts';
import { living } from './story.ts';
import type { DemoWorld } from './world.ts';

export interface Proof {
  what: string;
  count: number;
  expected: number;
}

export async function prove(world: DemoWorld, claims: number): Promise<Proof[]> {
  const sight = await world.look();
  return [
    { what: 'claims left in the cluster', count: sight.claims.length, expected: 0 },
    { what: 'nodes left in the cluster', count: sight.nodes.length, expected: 0 },
    { what: 'instances running in the cloud', count: living(sight).length, expected: 0 },
    { what: 'instances ever created, one for each claim', count: sight.ledger.length, expected: claims },
    { what: 'times that a claim had two instances at once', count: await world.overlaps(), expected: 0 },
  ];
}

/** Whether all of them are as they must be. */
export function reportProofs(proofs: readonly Proof[], screen: Pick<Screen, 'line'>, readFrom: string): boolean {
  screen.line('');
  screen.line(`Read from ${readFrom} at the end:`);
  for (const { what, count, expected } of proofs) {
    const holds = count === expected;
    const wrong = holds ? '' : `, but expected ${expected}`;
    screen.line(`  ${String(count).padStart(3)}  ${what}${wrong}`, holds ? 'good' : 'bad');
  }
  return proofs.every(({ count, expected }) => count === expected);
}
