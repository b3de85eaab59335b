/** From one kind of agent pools to the other, and back, with claims in every stage of their life. */
import { describe, expect, it } from 'vitest';
import { useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';
import { type Kind, openAzureWorld, recordOf } from './azure-world.ts';
import { movingClaim as claim, isTrue, stages } from './stages.ts';

const open = useWorld();
const other = (kind: Kind): Kind => (kind === 'aks' ? 'arc' : 'aks');

describe.each(['aks', 'arc'] as const)('from %s to the other kind', (from) => {
  const to = other(from);

  it.each(Object.entries(stages))('a claim that %s', async (stage, reach) => {
    const world = await openAzureWorld(open, { settings: { registerSeconds: 5, machineLeadSeconds: 20 } });
    world.prefer(from);
    if (stage === 'waits for its turn') {
      await world.kaitoClaim('before');
      await world.resync();
      await world.engine.runUntil(world.clock.now() + 1000);
    }
    await world.kaitoClaim('moving');
    await reach(world);
    const made = recordOf(await claim(world)).provider;

    world.prefer(to);
    await world.kaitoClaim('fresh');
    await world.pass(400);

    const fresh = await world.claim('fresh');
    expect(conditionStatus(fresh, 'Ready')).toBe('True');
    expect(world.poolsOf('fresh')).toEqual([to]);
    if (stage === 'is being deleted') {
      expect(await claim(world)).toBeUndefined();
      expect(world.poolsOf('moving')).toEqual([]);
    } else {
      expect(await isTrue(world, 'Ready')).toBe(true);
      const where = recordOf(await claim(world)).provider;
      // Whoever has an attempt stays with its provider; who has none yet goes where the default points when it is looked at.
      if (made !== undefined) expect(where).toBe(made);
      else if (stage === 'is not looked at yet') expect(where).toBe(to);
      expect(world.poolsOf('moving')).toEqual([where]);
    }
    expect(world.everMade('moving')).toBe(1);
    expect(world.everMade('fresh')).toBe(1);
    expect(world.azure.overlaps()).toEqual([]);

    for (const { metadata } of await world.claims()) await world.deleteClaim(metadata.name);
    await world.pass(300);
    expect(await world.claims()).toEqual([]);
    expect(world.azure.living).toBe(0);
    expect(await world.nodes()).toEqual([]);
  });
});
