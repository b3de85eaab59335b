/** What the host tells about providers and their machines, over the HTTP app with a simulated cloud and cluster behind it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import type { Quota } from '../../shared/providers/contract.ts';
import { servingOf } from '../../shared/providers/serving.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import { startSimCloud } from '../../sim/cloud/start.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { httpWorld } from './world.ts';

let server: Awaited<ReturnType<typeof startClusterApi>>;
let cloud: Awaited<ReturnType<typeof startSimCloud>>;
let world: ReturnType<typeof httpWorld>;
let api: ReturnType<typeof connectCluster>;
const pageSize = 2;

beforeAll(async () => {
  server = await startClusterApi({ file: ':memory:', port: 0 });
  cloud = await startSimCloud({ bootSeconds: 0, quota: 4 });
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 10_000, fieldManager: 'poolwright' };
  api = connectCluster({ name: 'production', url: server.url, ...common });
});
beforeEach(() => {
  const provider = createSimProvider({ url: cloud.url, pageSize });
  const serving = servingOf.bind(undefined, [{ provider, type: 'sim' }]);
  world = httpWorld({ api, cluster: { providers: [provider], serving } });
});
afterAll(async () => {
  api.close();
  await cloud.close();
  await server.close();
});

async function aMachine(tags: { claim: string; uid: string; attempt?: string }): Promise<string> {
  const body = {
    ...{ name: tags.claim, instanceType: 'general-medium', zone: 'zone-a', capacityType: 'on-demand' },
    tags: {
      [tagKeys.deployment]: 'test',
      [tagKeys.cluster]: 'kube-system-uid',
      [tagKeys.claim]: tags.claim,
      [tagKeys.claimUid]: tags.uid,
      [tagKeys.attempt]: tags.attempt ?? '1',
    },
  };
  const answer = await fetch(`${cloud.url}/instances`, { method: 'POST', body: JSON.stringify(body) });
  return ((await answer.json()) as { id: string }).id;
}

describe('the providers', () => {
  it('are told with their clusters, pauses and how much is sold out', async () => {
    const offering = { instanceType: 'general-large', zone: 'zone-a', capacityType: 'spot' } as const;
    await markUnavailable(world.services, 'sim', offering, { kind: 'insufficient-capacity', message: 'sold out' }, 60);

    const { json } = await world.get('/v1/providers');

    expect(json).toEqual({
      items: [
        {
          name: 'sim',
          type: 'sim',
          clusters: ['production', 'staging'],
          nodeClasses: ['SimNodeClass'],
          abilities: ['spot', 'interruption-notices'],
          unavailableOfferings: 1,
        },
      ],
    });
    await pause(world.services, { kind: 'provider', name: 'sim' }, 'too dear');
    expect((await world.get('/v1/providers')).json).toMatchObject({ items: [{ paused: 'too dear' }] });
    await pause(world.services, { kind: 'provider', name: 'sim' }, '');
    expect((await world.get('/v1/providers')).json).toMatchObject({ items: [{ paused: 'no reason was given' }] });
  });

  it('stand beside the clusters that they serve, which say who they are', async () => {
    const { json } = await world.get('/v1/clusters');
    expect(json.items).toMatchObject([
      { name: 'production', uid: 'kube-system-uid', providers: ['sim'] },
      { name: 'staging', providers: ['sim'] },
    ]);
  });

  it('are told also while a cluster does not say who it is', async () => {
    const refused = { ok: false as const, error: { kind: 'unavailable' as const, message: 'nobody answers' } };
    const { json } = await httpWorld({ api, cluster: { identity: async () => refused } }).get('/v1/clusters');
    expect((json.items as { uid?: string }[]).map(({ uid }) => uid)).toEqual([undefined, undefined]);
  });
});

describe('a check of a provider', () => {
  const check = (body: Json = {}, name = 'sim') => world.send('POST', `/v1/providers/${name}/check`, body);

  it('asks the cloud for every cluster, or for one', async () => {
    const all = await check();
    const one = await check({ cluster: 'staging' });

    expect(all.status).toBe(200);
    expect((all.json.checks as { name: string }[]).map(({ name }) => name)).toEqual([
      'provider sim for cluster production: credentials and reachability',
      'provider sim for cluster production: quota',
      'provider sim for cluster staging: credentials and reachability',
      'provider sim for cluster staging: quota',
    ]);
    expect(one.json.checks).toHaveLength(2);
  });

  it('says what is wrong, and how it is mended', async () => {
    await cloud.setFaults([{ on: 'list', do: { kind: 'unauthorised' } }]);
    try {
      expect((await check({ cluster: 'production' })).json.checks).toContainEqual(
        expect.objectContaining({ state: 'fail', code: 'Unauthorized', repair: expect.stringMatching(/\w/) }),
      );
    } finally {
      await cloud.setFaults([]);
    }
  });

  it('tells no secret that a cloud has said', async () => {
    const provider = createSimProvider({ url: cloud.url });
    provider.check = async () => [{ name: 'x', state: 'fail', message: 'refused: Bearer abcdef123456 of nobody' }];
    provider.list = async () => ({
      ...{ ok: false, error: { kind: 'unavailable', message: 'no answer of https://me:hunter2@cloud' } },
    });
    const world = httpWorld({ api, cluster: { providers: [provider] } });
    const checked = await world.send('POST', '/v1/providers/sim/check', { cluster: 'production' });
    expect(checked.text).toContain('refused: Bearer [redacted] of nobody');
    const listed = await world.get('/v1/instances?cluster=production');
    expect(listed).toMatchObject({ status: 503, json: { detail: expect.stringContaining('me:[redacted]@cloud') } });
  });

  it('warns of limits that are near, and not of sizes that the account has never asked for', async () => {
    const provider = createSimProvider({ url: cloud.url });
    const cores = { used: 0, unit: 'vCPU' };
    const families = Array.from({ length: 60 }, (_, index) => ({
      ...cores,
      ...{ name: `family ${index}`, limit: 0, instanceTypes: [`size-${index}`] },
    }));
    const used = { ...cores, name: 'family D', used: 95, limit: 100, instanceTypes: ['d-large'] };
    const region = { ...cores, name: 'all cores', limit: 500 };
    const quotaOf = async (...quota: Quota[]) => {
      provider.quota = async () => ({ ok: true, value: quota });
      const { checks } = (
        await httpWorld({ api, cluster: { providers: [provider] } }).send('POST', '/v1/providers/sim/check', {
          cluster: 'production',
        })
      ).json as { checks: { name: string; state: string; message: string }[] };
      return checks.filter(({ name }) => name.includes(': quota'));
    };
    expect(await quotaOf(...families, region)).toEqual([
      {
        name: 'provider sim for cluster production: quota',
        state: 'pass',
        message: '1 limit, which is not near; 60 have a limit of 0, for sizes that the account cannot use yet',
      },
    ]);
    expect(await quotaOf(...families, region, used)).toMatchObject([
      { name: expect.stringMatching(/quota family D$/), state: 'warn' },
    ]);
    expect(await quotaOf({ ...region, limit: 0 })).toMatchObject([{ state: 'warn' }]);
  });

  it.each([
    ['sim', { cluster: 'producton' }, 404, /did you mean "production"\?$/],
    ['sin', {}, 404, /did you mean "sim"\?$/],
    ['sim', { clusters: 'production' }, 400, /did you mean "cluster"\?$/],
  ])('of %s with %j is answered %i', async (name, body, status, detail) => {
    expect(await check(body, name)).toMatchObject({ status, json: { detail: expect.stringMatching(detail) } });
  });
});

describe('the machines of a deployment', () => {
  it('come in pages, each with what became of its claim', async () => {
    const created = await api.create(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'web-1' },
      spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
    });
    if (!created.ok) throw new Error(created.error.message);
    const { uid } = created.value.metadata;
    await aMachine({ claim: 'web-1', uid });
    await aMachine({ claim: 'web-1', uid: 'an-older-one' });
    await aMachine({ claim: 'web-2', uid: 'u-2' });

    const found: { [field: string]: Json }[] = [];
    let pages = 0;
    for (let next = ''; ; pages++) {
      const after = next === '' ? '' : `&after=${next}`;
      const { status, json } = await world.get(`/v1/instances?cluster=production&limit=100${after}`);
      expect(status).toBe(200);
      found.push(...(json.items as { [field: string]: Json }[]));
      if (json.next === undefined) break;
      next = String(json.next);
    }

    expect(found.map(({ claimName, claim }) => [claimName, claim])).toEqual([
      ['web-1', 'present'],
      ['web-1', 'another'],
      ['web-2', 'gone'],
    ]);
    expect(pages).toBe(1);
    expect(found[0]).toMatchObject({
      cluster: 'production',
      provider: 'sim',
      claimUid: uid,
      attempt: 1,
      zone: 'zone-a',
    });
    const quota = (await world.send('POST', '/v1/providers/sim/check', { cluster: 'production' })).json.checks;
    expect(quota).toContainEqual(expect.objectContaining({ name: expect.stringMatching(/quota$/), state: 'pass' }));
    await aMachine({ claim: 'web-3', uid: 'u-3' });
    const full = (await world.send('POST', '/v1/providers/sim/check', { cluster: 'production' })).json.checks;
    expect(full).toContainEqual(expect.objectContaining({ state: 'warn', code: 'QuotaExceeded' }));
  });

  it('of all clusters are listed one cluster after the other', async () => {
    const names = new Set<Json | undefined>();
    for (let next = ''; ; ) {
      const { json } = await world.get(`/v1/instances${next === '' ? '' : `?after=${next}`}`);
      for (const { cluster } of json.items as { cluster: string }[]) names.add(cluster);
      if (json.next === undefined) break;
      next = String(json.next);
    }
    expect([...names]).toEqual(['production', 'staging']);
  });

  it('whose claims nobody can read are of unknown claims, which is no reason to delete them', async () => {
    const unreachable = httpWorld({ cluster: { providers: [createSimProvider({ url: cloud.url })] } });
    const { json } = await unreachable.get('/v1/instances?cluster=production');
    expect((json.items as { claim: string }[]).every(({ claim }) => claim === 'unknown')).toBe(true);
  });

  it.each([
    ['?cluster=prod', 404],
    ['?provider=aws', 404],
    ['?after=nonsense', 400],
    [`?after=${Buffer.from('{"cluster":"elsewhere","provider":"sim"}').toString('base64url')}`, 400],
    ['?claim=web-1', 400],
  ])('%s is answered %i', async (query, status) => {
    expect(await world.get(`/v1/instances${query}`)).toMatchObject({ status });
  });

  it('can not be listed while the cloud does not answer', async () => {
    expect(await httpWorld({ api }).get('/v1/instances')).toMatchObject({
      status: 503,
      json: { type: 'urn:poolwright:problem:provider-unavailable' },
    });
  });
});
