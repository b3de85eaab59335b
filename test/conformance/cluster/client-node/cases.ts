/**
 * The client of the Kubernetes project as a peer: what a client that others wrote relies on must work on the simulated API as
 * on a real one. Names are fresh, so a shared server can be used.
 */

import { afterAll, beforeAll, describe } from 'vitest';
import { accessCases } from './access-cases.ts';
import { objectCases } from './object-cases.ts';
import { patchCases } from './patch-cases.ts';
import { watchCases } from './watch-cases.ts';
import type { CurrentWorld, World } from './world.ts';

export function clientNodeCases(name: string, start: () => Promise<World>): void {
  describe(`the client of the Kubernetes project against ${name}`, () => {
    let world: World | undefined;
    const current: CurrentWorld = () => {
      if (!world) throw new Error('the server is not up yet');
      return world;
    };
    beforeAll(async () => {
      world = await start();
    });
    afterAll(() => world?.close());
    describe('finds its way in', () => accessCases(current));
    describe('reads and writes objects', () => objectCases(current));
    describe('patches', () => patchCases(current));
    describe('watches', () => watchCases(current));
  });
}
