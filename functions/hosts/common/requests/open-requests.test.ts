import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingIds, manualClock, seededRandom } from '../../../../shared/base/runtime.ts';
import { type ConfigInput, resolveConfig } from '../../../../shared/config/load.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import { silentLog } from '../../../../shared/observe/log/log.ts';
import { openSqliteState, openStateDatabase } from '../../../../shared/state/sqlite/state.ts';
import { openRequestsIfAny } from './open-requests.ts';

const clock = manualClock();
const api = { name: 'a', close: () => undefined } as unknown as ClusterApi;

async function opened(config: ConfigInput) {
  const resolved = resolveConfig({ clusters: { a: { server: 'http://127.0.0.1:1', clusterRequests: {} } }, ...config });
  if (!resolved.ok) return resolved.text;
  const result = await openRequestsIfAny({
    config: resolved.config,
    apiOf: (name) => (name === 'a' ? api : undefined),
    state: openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock }),
    clock,
    ids: countingIds(),
    random: seededRandom(1),
    log: silentLog,
    env: {},
  });
  if (!result.ok) return result.error.message;
  const services = result.value?.servicesFor({ metrics: {}, ownership: {}, workflows: {} } as never);
  result.value?.close();
  return services;
}

const file = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'requests-')), 'file');
  writeFileSync(path, text);
  return path;
};
const azure = {
  type: 'aks',
  subscription: '00000000-0000-0000-0000-000000000000',
  resourceGroup: 'group',
  clusterName: 'cluster',
  location: 'westeurope',
} as const;

describe('requests for clusters', () => {
  it('need nothing where no cluster is configured for them', async () => {
    expect(await opened({ clusters: { a: { server: 'http://127.0.0.1:1' } } })).toBeUndefined();
  });

  it('have a place in each cluster that is configured for them, and one in the state', async () => {
    const services = await opened({
      providers: { azure },
      clusterRequests: { state: { provider: 'azure' } },
    });
    if (typeof services !== 'object') throw new Error(services);
    expect(services.places.map(({ name, driver, store }) => [name, driver.name, store.name])).toEqual([
      ['a', 'aso', 'a'],
      ['state', 'arm', 'state'],
    ]);
    expect(services.place('a')?.settings).toEqual({
      driftSeconds: 3600,
      pollSeconds: 15,
      retrySeconds: 600,
      graceSeconds: 60,
    });
    expect(services.place('other')).toBeUndefined();
  });

  it('know the pool types of the configuration and of a file', async () => {
    const type = { description: 'x', family: 'D', vmSizes: ['Standard_D4s_v5'], limits: { cpu: '8', memory: '32Gi' } };
    const services = await opened({
      clusterRequests: {
        poolTypes: { batch: { ...type, taints: ['for=batch:NoSchedule'] } },
        poolTypesFile: file(JSON.stringify({ other: type })),
      },
    });
    if (typeof services !== 'object') throw new Error(services);
    const types = services.place('a')?.poolTypes;
    expect([...(types?.keys() ?? [])]).toEqual(expect.arrayContaining(['standard', 'batch', 'other']));
    expect(types?.get('batch')?.taints).toEqual([{ key: 'for', value: 'batch', effect: 'NoSchedule' }]);
  });

  it.each<[string, ConfigInput, string]>([
    [
      'a receiver without an address',
      { clusterRequests: { notifications: { chat: {} } } },
      'clusterRequests.notifications.chat.url is missing: set it, or urlFile',
    ],
    [
      'a receiver whose address cannot be read',
      { clusterRequests: { notifications: { chat: { urlFile: '/nowhere' } } } },
      'clusterRequests.notifications.chat.urlFile: /nowhere must contain an http:// or https:// URL',
    ],
    [
      'a key that is too short',
      { clusterRequests: { notifications: { chat: { url: 'https://a.example', signingKeyFiles: [file('short')] } } } },
      'clusterRequests.notifications.chat.signingKeyFiles:',
    ],
    [
      'a file of pool types with a mistake',
      { clusterRequests: { poolTypesFile: file('a: {}') } },
      'clusterRequests.poolTypesFile.a.description',
    ],
    ['a file that is none', { clusterRequests: { poolTypesFile: '/nowhere' } }, 'clusterRequests.poolTypesFile'],
    [
      'a provider that does not exist',
      { clusterRequests: { state: { provider: 'azur' } } },
      'clusterRequests.state.provider is not a configured provider',
    ],
    [
      'a provider of another cloud',
      {
        providers: { sim: { type: 'sim', url: 'http://127.0.0.1:1' } },
        clusterRequests: { state: { provider: 'sim' } },
      },
      'clusterRequests.state.provider: must be a provider of Azure; sim is of type sim',
    ],
    [
      'a driver without a provider',
      { clusters: { a: { server: 'http://127.0.0.1:1', clusterRequests: { driver: 'arm' } } } },
      'clusters.a.clusterRequests.provider is missing: the driver arm needs a provider',
    ],
    [
      'a cluster that is called like the place in the state',
      {
        providers: { azure },
        clusters: { state: { server: 'http://127.0.0.1:1', clusterRequests: {} } },
        clusterRequests: { state: { provider: 'azure' } },
      },
      'clusters.state is the name of the place without a management cluster',
    ],
    [
      'a taint that is none',
      {
        clusterRequests: {
          poolTypes: {
            a: { description: 'x', family: 'D', vmSizes: ['a'], limits: { cpu: '1', memory: '1' }, taints: ['x'] },
          },
        },
      },
      'clusterRequests.poolTypes.a.taints',
    ],
  ])('stop the host for %s, with the field and the fix', async (_, config, text) => {
    expect(await opened(config)).toContain(text);
  });
});
