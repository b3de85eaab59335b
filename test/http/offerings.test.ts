/** What can be bought, and what is passed over for a while: read and cleared over HTTP, with a real cluster and cloud behind. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import type { InstanceType } from '../../shared/nodes/claims/choice/offerings.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { only, soldOut, useWorld } from '../nodes/use-world.ts';
import { conditionStatus, type TestWorld, type TestWorldOptions } from '../nodes/world.ts';
import { askMarket } from './a-market.ts';

const open = useWorld();

interface Row {
  [field: string]: Json;
  instanceType: string;
  zone: string;
  capacityType: string;
  available: boolean;
}

async function openMarket(options?: TestWorldOptions) {
  const world = await open(options);
  const ask = await askMarket(world);
  const pages = async (query: string, limit: number): Promise<Row[][]> => {
    const all: Row[][] = [];
    for (let after = ''; ; ) {
      const { json, status } = await ask('GET', `/v1/offerings?limit=${limit}${query}${after}`);
      expect(status).toBe(200);
      all.push(json.items as Row[]);
      if (json.next === undefined) return all;
      after = `&after=${String(json.next)}`;
    }
  };
  return { world, ask, pages };
}

const out = { message: 'the zone is out of it', kind: 'insufficient-capacity' as const };
const mark = ({ services, provider }: TestWorld, instanceType: string, more: object = {}) =>
  markUnavailable(
    services,
    provider.name,
    { instanceType, zone: 'zone-a', capacityType: 'on-demand' },
    { ...out, ...more },
    300,
  );

describe('GET /v1/offerings', () => {
  it('lists every offering with price and size, and joins what could not be had', async () => {
    const { world, pages } = await openMarket();
    await mark(world, 'general-small');
    const [rows = []] = await pages('', 1000);
    const small = rows.filter(({ instanceType }) => instanceType === 'general-small');
    expect(small).toHaveLength(6);
    expect(small.find((row) => row.zone === 'zone-a' && row.capacityType === 'on-demand')).toEqual({
      cluster: 'test',
      provider: 'sim',
      instanceType: 'general-small',
      zone: 'zone-a',
      capacityType: 'on-demand',
      pricePerHour: 0.048,
      available: false,
      unavailable: { reason: 'the zone is out of it', until: new Date(world.clock.now() + 300_000).toISOString() },
      cpu: '2',
      memory: '8Gi',
      architecture: 'amd64',
    });
    expect(rows.find(({ instanceType }) => instanceType === 'gpu-large')).toMatchObject({ gpus: 4 });
    expect(rows.find(({ instanceType }) => instanceType === 'preview-large')).not.toHaveProperty('pricePerHour');
  });

  it('comes in pages that together are the whole, each offering once', async () => {
    const { pages } = await openMarket();
    const [whole = []] = await pages('', 1000);
    const parts = await pages('&cluster=test&provider=sim&nodeClass=SimNodeClass/default', 7);
    expect(parts.length).toBe(Math.ceil(whole.length / 7));
    expect(parts.flat()).toEqual(whole);
  });

  it('is quick with ten thousand of them', async () => {
    const zones = Array.from({ length: 10 }, (_, index) => `zone-${index}`);
    const types = Array.from({ length: 1000 }, (_, index): InstanceType => {
      const offerings = zones.map((zone) => ({
        instanceType: `type-${index}`,
        zone,
        capacityType: 'on-demand' as const,
        price: index / 100,
        available: true,
      }));
      return { name: `type-${index}`, labels: {}, capacity: { cpu: '4', memory: '16Gi' }, offerings };
    });
    const { pages } = await openMarket({
      decorate: (inner) => Object.assign(inner, { instanceTypes: async () => ({ ok: true, value: types }) }),
    });
    const parts = await pages('', 1000);
    expect(parts).toHaveLength(10);
    expect(new Set(parts.flat().map((row) => `${row.instanceType}/${row.zone}`)).size).toBe(10_000);
  });

  it('says what is wrong with a question', async () => {
    const { ask } = await openMarket();
    const detail = async (query: string) => {
      const { status, json } = await ask('GET', `/v1/offerings?${query}`);
      return `${status} ${json.detail}`;
    };
    expect(await detail('cluster=tset')).toMatchInlineSnapshot(
      `"404 cluster "tset" is not in the configuration; did you mean "test"?"`,
    );
    expect(await detail('provider=sam')).toMatchInlineSnapshot(
      `"404 provider "sam" is not in the configuration; did you mean "sim"?"`,
    );
    expect(await detail('nodeClass=default')).toMatchInlineSnapshot(
      `"400 In the query: nodeClass must be <Kind>/<name>."`,
    );
    expect(await detail('nodeClass=SimNodeClas/default')).toMatchInlineSnapshot(
      `"404 no provider serves the node class "SimNodeClas" there; did you mean "SimNodeClass"?"`,
    );
    expect(await detail('nodeClass=SimNodeClass/other')).toMatchInlineSnapshot(
      `"404 SimNodeClass other does not exist in cluster test."`,
    );
    expect(await detail('after=bm9uc2Vuc2U')).toMatchInlineSnapshot(
      `"400 In the query: after must be the next of an earlier page."`,
    );
    expect(await detail('instancetype=x')).toMatchInlineSnapshot(`"400 In the query: "instancetype" is unknown."`);
  });
});

describe('what is passed over', () => {
  it('is listed with what the cloud said, and until when', async () => {
    const { world, ask } = await openMarket();
    await mark(world, 'general-small');
    await mark(world, 'gpu-large', { kind: 'quota-exceeded', scope: { labels: { family: 'gpu' } } });
    const until = new Date(world.clock.now() + 300_000).toISOString();
    const common = { provider: 'sim', zone: 'zone-a', capacityType: 'on-demand', reason: out.message, until };
    expect((await ask('GET', '/v1/offerings/unavailable?provider=sim')).json.items).toEqual([
      { ...common, instanceType: 'general-small', quota: false, many: false },
      { ...common, instanceType: 'gpu-large', quota: true, many: true },
    ]);
  });

  it('is cleared by what the query names, and a second time is no error', async () => {
    const { world, ask } = await openMarket();
    for (const type of ['general-small', 'general-medium', 'general-large']) await mark(world, type);
    const clear = async (query: string) => (await ask('DELETE', `/v1/offerings/unavailable?${query}`)).json;
    expect(await clear('provider=sim&instanceType=general-small')).toEqual({ cleared: 1 });
    expect(await clear('provider=sim&instanceType=general-small')).toEqual({ cleared: 0 });
    expect(await clear('zone=zone-b')).toEqual({ cleared: 0 });
    expect(await clear('capacityType=on-demand')).toEqual({ cleared: 2 });
    expect((await ask('GET', '/v1/offerings/unavailable')).json.items).toEqual([]);
  });

  it('is cleared with the mark of a whole family, if that may be what keeps it from being tried', async () => {
    const { world, ask } = await openMarket();
    await mark(world, 'general-small', { scope: { zone: 'zone-a', labels: { family: 'general' } } });
    const clear = async (query: string) => (await ask('DELETE', `/v1/offerings/unavailable?${query}`)).json;
    expect(await clear('instanceType=general-large&zone=zone-b')).toEqual({ cleared: 0 });
    expect(await clear('instanceType=general-large')).toEqual({ cleared: 1 });
  });

  it('is bought again by the next claim once it is cleared', async () => {
    const rules = [soldOut('general-small')];
    const { world, ask } = await openMarket({ cloud: { faults: rules } });
    const both = { requirements: only(['general-small', 'general-medium']) };
    await world.createClaim('one', both);
    await world.settle();
    await world.cloud.setFaults([]);
    expect((await ask('DELETE', '/v1/offerings/unavailable?provider=sim')).json).toEqual({ cleared: 1 });
    await world.createClaim('two', both);
    await world.settle();
    const two = await world.claim('two');
    expect(conditionStatus(two, 'Ready')).toBe('True');
    expect(two?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('general-small');
  });

  it('of a provider that nobody knows is an error, unless it left marks behind', async () => {
    const { world, ask } = await openMarket();
    expect((await ask('DELETE', '/v1/offerings/unavailable?provider=old')).status).toBe(404);
    expect((await ask('GET', '/v1/offerings/unavailable?provider=old')).status).toBe(404);
    await markUnavailable(world.services, 'old', { instanceType: 'a', zone: '', capacityType: 'spot' }, out, 60);
    expect((await ask('DELETE', '/v1/offerings/unavailable?provider=old')).json).toEqual({ cleared: 1 });
  });

  it('is not cleared by a misspelled question', async () => {
    const { world, ask } = await openMarket();
    await mark(world, 'general-small');
    const { status, json } = await ask('DELETE', '/v1/offerings/unavailable?instancetype=gpu-large');
    expect(`${status} ${json.detail}`).toMatchInlineSnapshot(
      `"400 In the query: "instancetype" is unknown; did you mean "instanceType"?"`,
    );
    expect((await ask('GET', '/v1/offerings/unavailable')).json.items).toHaveLength(1);
  });
});
