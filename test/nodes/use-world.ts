/** Opens a world for one test and closes it afterwards, whatever became of the test. */

import { afterEach } from 'vitest';
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';
import type { FaultRules } from '../../sim/kit/faults.ts';
import { type TestWorld, type TestWorldOptions, testWorld } from './world.ts';

export function useWorld(): (options?: TestWorldOptions) => Promise<TestWorld> {
  const worlds: TestWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });
  return async (options) => {
    const world = await testWorld(options);
    worlds.push(world);
    return world;
  };
}

const instanceTypeLabel = 'node.kubernetes.io/instance-type';
const zoneLabel = 'topology.kubernetes.io/zone';

/** Requirements that leave exactly these on-demand offerings. */
export const only = (types: string[], zones: string[] = ['zone-a']): Json => [
  { key: instanceTypeLabel, operator: 'In', values: types },
  { key: zoneLabel, operator: 'In', values: zones },
];

/** A claim that its NodePool made. */
export const pooled: Json = {
  ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'pool', uid: 'uid-of-pool' }],
  labels: { 'karpenter.sh/nodepool': 'pool' },
};

export const soldOut = (instanceType?: string, zone?: string): FaultRules[number] => ({
  on: 'create',
  ...(instanceType === undefined ? {} : { offering: { instanceType, ...defined({ zone }) } }),
  do: { kind: 'sold-out' },
});

/** Log lines, parsed, for `logTo`. */
export function logLines(): { lines: Record<string, unknown>[]; logTo: (line: string) => void; ids(): unknown[] } {
  const lines: Record<string, unknown>[] = [];
  return { lines, logTo: (line) => void lines.push(JSON.parse(line)), ids: () => lines.map(({ event }) => event) };
}

/** The cloud announces that it takes the instance back. */
export async function takeBack({ cloud }: TestWorld, providerID: string): Promise<void> {
  const id = providerID.split('/').at(-1);
  const answer = await fetch(`${cloud.url}/instances/${id}/interrupt?noticeSeconds=120`, { method: 'POST' });
  if (!answer.ok) throw new Error(`the cloud answered ${answer.status}`);
}
