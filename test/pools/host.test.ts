/** The local host with a static pool: events alone make it quick, long before the timers come round. */
import { afterEach, describe, expect, it } from 'vitest';
import { type DataDirectory, openDataDirectory } from '../../functions/hosts/local/data-directory.ts';
import { type LocalHost, startLocalHost } from '../../functions/hosts/local/host.ts';
import type { Json } from '../../shared/base/json.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { type ClusterApi, nodeClaims, nodePools, type Resource } from '../../shared/kube/contract.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { temporaryDirectory, useProcesses, worldBeside } from '../hosts/local/host-process.ts';
import { conditionStatus } from '../nodes/world.ts';

useProcesses();
const hosts: LocalHost[] = [];
const held: DataDirectory[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
  for (const directory of held.splice(0)) directory.release();
});

async function start(file: string): Promise<ClusterApi> {
  const loaded = loadConfig(file, {}, {});
  if (!loaded.ok) throw new Error(loaded.text);
  const directory = openDataDirectory(temporaryDirectory());
  held.push(directory);
  const host = await startLocalHost({ config: loaded.config, directory, log: collectingLog(), version: 'test' });
  if (!host.ok) throw new Error(host.error.message);
  hosts.push(host.value);
  return host.value.services.clusters[0]!.api;
}

const simNodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};
const classRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };

describe('a static pool under the local host', () => {
  it('is filled, scaled both ways and follows its node class, each when it happens', async () => {
    const { world, config } = await worldBeside();
    const api = await start(config);
    const readyClaims = async (count: number): Promise<StoredClaim[]> => {
      for (;;) {
        const listed = await api.list<StoredClaim>(nodeClaims);
        const claims = listed.ok ? listed.value.items : [];
        if (claims.length === count && claims.every((claim) => conditionStatus(claim, 'Ready') === 'True'))
          return claims;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const aPool: Json = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'workers' },
      spec: {
        replicas: 2,
        template: { spec: { nodeClassRef: classRef, requirements: [], expireAfter: 'Never' } },
      },
    };
    await api.create(nodePools, aPool);
    // The pool waits for its class, and goes on when it comes.
    const { group, version, kind } = simNodeClasses;
    await api.create(simNodeClasses, {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: 'default' },
      spec: {},
    });
    await readyClaims(2);
    await api.mergePatch(nodePools, { name: 'workers' }, { spec: { replicas: 3 } });
    await readyClaims(3);
    await api.mergePatch(nodePools, { name: 'workers' }, { spec: { replicas: 1 } });
    await readyClaims(1);
    // One that somebody deletes is replaced.
    const [only] = await readyClaims(1);
    await api.delete(nodeClaims, { name: only?.metadata.name ?? '' }, {});
    let [next] = await readyClaims(1);
    while (next?.metadata.uid === only?.metadata.uid) [next] = await readyClaims(1);
    await api.delete(nodePools, { name: 'workers' }, {});
    await readyClaims(0);
    expect(world.cloud.living).toBe(0);
    expect(world.cloud.overlaps()).toEqual([]);
  }, 20_000);
});
