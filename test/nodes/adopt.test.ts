/** Adopting: what another provisioner made, and records that nobody can read. Over the HTTP app, with a real cluster and cloud behind it. */
import { describe, expect, it } from 'vitest';
import { createHttpApp } from '../../functions/http/app.ts';
import type { Json } from '../../shared/base/json.ts';
import { annotations, tags as tagKeys, terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import { createSimProvider } from '../../shared/providers/sim/provider.ts';
import { tagsOf as tagsFor } from '../../shared/providers/sim/wire.ts';
import { type SimCloud, startSimCloud } from '../../sim/cloud/start.ts';
import { value } from '../conformance/providers/requests.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const token = 'a-token-that-only-tests-know';

interface Answer {
  status: number;
  json: { [key: string]: Json };
}

async function adopt(world: TestWorld, name: string, body: Json = {}): Promise<Answer> {
  const app = createHttpApp({
    members: () => [],
    services: world.services,
    token: () => token,
    ready: async () => ({ ready: true, checks: {} }),
    version: '1.2.3',
  });
  const request = new Request(`http://127.0.0.1/v1/claims/${clusterName}/${name}/adopt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const response = await app.fetch(request);
  return { status: response.status, json: (await response.json()) as Answer['json'] };
}

const recordOf = async (world: TestWorld, name: string): Promise<unknown> => {
  const text = (await world.claim(name))?.metadata.annotations?.[annotations.attempt];
  return text === undefined ? undefined : JSON.parse(text);
};

/** As another provisioner of this cloud marks its machines. */
const theirTags = (claim: string, cluster: string) => ({
  'karpenter.sh/nodeclaim': claim,
  'karpenter.sh/cluster': cluster,
});

async function theirMachine(
  cloud: Pick<SimCloud, 'url'>,
  tags: Record<string, string>,
): Promise<{ id: string; providerID: string }> {
  const answer = await fetch(`${cloud.url}/instances`, {
    method: 'POST',
    body: JSON.stringify({
      ...{ name: 'theirs', instanceType: 'general-medium', zone: 'zone-a', capacityType: 'on-demand' },
      tags,
      labels: {},
      taints: [],
    }),
  });
  return (await answer.json()) as { id: string; providerID: string };
}

/** A claim that somebody else has brought to Ready. */
async function theirClaim(
  world: TestWorld,
  name: string,
  tags: (cluster: string) => Record<string, string> = (cluster) => theirTags(name, cluster),
): Promise<string> {
  await world.createClaim(name, { metadata: { finalizers: [terminationFinalizer] } });
  const machine = await theirMachine(world.cloud, tags(value(await world.clusterServices.identity())));
  world.clock.advance(30_000);
  await world.cloud.settle();
  const conditions = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
    ...{ type, status: 'True', reason: type, message: '' },
    lastTransitionTime: new Date(world.clock.now()).toISOString(),
  }));
  const status = { providerID: machine.providerID, nodeName: machine.id, conditions };
  await world.patchClaim(name, { status }, 'status');
  return machine.id;
}

const tagsOf = (world: TestWorld, id: string): Record<string, string> =>
  world.cloud.ledger().find((one) => one.id === id)?.tags ?? {};

describe('a claim that another provisioner launched', () => {
  it('is left alone until a person has it adopted, and is ours like any other afterwards', async () => {
    const world = await open();
    const id = await theirClaim(world, 'old');
    await world.pass(60);
    expect((await world.eventsOf('old')).map(({ reason }) => reason)).toContain('ForeignInstance');

    const looked = await adopt(world, 'old', { dryRun: true });

    expect(looked).toMatchObject({
      status: 200,
      json: { need: 'foreign', provider: 'sim', instance: id, done: false },
    });
    expect(looked.json.tags).toMatchObject({ [tagKeys.attempt]: '1', [tagKeys.claim]: 'old' });
    expect(tagsOf(world, id)[tagKeys.deployment]).toBeUndefined();
    expect(await recordOf(world, 'old')).toBeUndefined();

    const done = await adopt(world, 'old');

    expect(done).toMatchObject({ status: 200, json: { ...looked.json, done: true } });
    expect(tagsOf(world, id)).toMatchObject(looked.json.tags as Record<string, string>);
    expect(await recordOf(world, 'old')).toMatchObject({ attempt: 1, provider: 'sim', state: 'open', rights: 2 });
    expect((await world.claim('old'))?.metadata.annotations?.[annotations.pricePerHour]).toBe('0.096');
    await world.pass(120);
    await world.collectGarbage();
    world.clock.advance(120_000);
    await world.collectGarbage();
    expect(conditionStatus(await world.claim('old'), 'Ready')).toBe('True');
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.calls.create).toBe(1);

    await world.deleteClaim('old');
    await world.pass(120);
    expect(await world.claim('old')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it('is taken over by itself when whoever adopted it died before the record was written', async () => {
    const world = await open();
    const id = await theirClaim(world, 'old');
    const cluster = value(await world.clusterServices.identity());
    const { uid } = (await world.claim('old'))!.metadata;
    const key = { deployment: world.services.deployment, cluster, claimUid: uid, claimName: 'old' };
    const providerID = `sim:///zone-a/${id}`;
    value(await world.provider.adopt!(key, providerID, { dryRun: false }, new AbortController().signal));

    await world.pass(120);

    expect(await recordOf(world, 'old')).toMatchObject({ attempt: 1, state: 'open' });
    expect(conditionStatus(await world.claim('old'), 'Ready')).toBe('True');
    expect(world.cloud.living).toBe(1);
  });

  it('keeps its machine when whoever adopted it died, also if we had postponed it before', async () => {
    const world = await open();
    const id = await theirClaim(world, 'old');
    const { uid } = (await world.claim('old'))!.metadata;
    const none = { instanceType: '', zone: '', capacityType: 'on-demand' };
    const postponed = {
      ...{ uid, attempt: 0, provider: '', offering: none, state: 'failed', rights: 0, holder: '' },
      retryAt: world.clock.now(),
    };
    await world.patchClaim('old', { metadata: { annotations: { [annotations.attempt]: JSON.stringify(postponed) } } });
    // From now on it is left alone for a while.
    await world.pass(60);
    const cluster = value(await world.clusterServices.identity());
    const key = { deployment: world.services.deployment, cluster, claimUid: uid, claimName: 'old' };
    const { signal } = new AbortController();
    value(await world.provider.adopt!(key, `sim:///zone-a/${id}`, { dryRun: false }, signal));

    await world.collectGarbage();
    world.clock.advance(120_000);
    await world.collectGarbage();
    await world.pass(60);

    expect(world.cloud.living).toBe(1);
    await world.pass(1200);
    expect(await recordOf(world, 'old')).toMatchObject({ attempt: 1, state: 'open' });
    expect(conditionStatus(await world.claim('old'), 'Ready')).toBe('True');
  });

  it('is adopted once, however many ask at once or again', async () => {
    const world = await open();
    await theirClaim(world, 'old');

    const answers = await Promise.all([1, 2, 3, 4].map(() => adopt(world, 'old')));
    const record = await recordOf(world, 'old');
    const again = await adopt(world, 'old');

    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(again).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('already belongs to this deployment: attempt 1') },
    });
    expect(await recordOf(world, 'old')).toEqual(record);
    expect((await world.eventsOf('old')).filter(({ reason }) => reason === 'TakenOver')).toHaveLength(1);
  });

  it('and is deleted while it is adopted goes with its machine', async () => {
    let world: TestWorld | undefined;
    const deletesMeanwhile = (provider: Provider): Provider => ({
      ...wrapped(provider),
      adopt: async (...given) => {
        const adopted = await provider.adopt!(...given);
        if (!given[2].dryRun) await world?.deleteClaim('old');
        return adopted;
      },
    });
    world = await open({ decorate: deletesMeanwhile });
    await theirClaim(world, 'old');

    const answer = await adopt(world, 'old');

    expect(answer).toMatchObject({ status: 409, json: { detail: expect.stringContaining('is being deleted') } });
    await world.pass(120);
    expect(await world.claim('old')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it.each<[string, (cluster: string) => Record<string, string>, RegExp]>([
    ['of another deployment', () => ({ [tagKeys.deployment]: 'somebody' }), /it belongs to deployment somebody/],
    ['of another claim', (cluster) => theirTags('another', cluster), /do not show that it was created for claim old/],
    ['of another cluster', () => theirTags('old', 'elsewhere'), /do not show that it was created for claim old/],
    ['without any tag', () => ({}), /do not show that it was created for claim old/],
  ])('by a machine %s is refused, and nothing is written', async (_, tags, why) => {
    const world = await open();
    const id = await theirClaim(world, 'old', tags);
    const before = tagsOf(world, id);

    for (const dryRun of [true, false]) {
      expect(await adopt(world, 'old', { dryRun })).toMatchObject({
        status: 409,
        json: { detail: expect.stringMatching(why) },
      });
    }

    expect(tagsOf(world, id)).toEqual(before);
    expect(await recordOf(world, 'old')).toBeUndefined();
  });

  it('is not adopted while somebody else acts on the cluster', async () => {
    const why = 'Karpenter runs there';
    const world = await open({
      ownership: {
        ...soleOwner,
        standing: async () => ({ acts: false, reason: 'RivalProvisioner', why }),
      },
    });
    const id = await theirClaim(world, 'old');

    expect(await adopt(world, 'old')).toMatchObject({ status: 409, json: { detail: expect.stringContaining(why) } });
    expect(tagsOf(world, id)[tagKeys.deployment]).toBeUndefined();
  });
});

describe('a record that nobody can read', () => {
  const unreadable = { metadata: { annotations: { [annotations.attempt]: '{' } } };

  it('is written anew from the one machine of the claim', async () => {
    const world = await open();
    await world.createClaim('one');
    await world.settle();
    const before = await recordOf(world, 'one');
    await world.patchClaim('one', unreadable);

    const looked = await adopt(world, 'one', { dryRun: true });
    expect(looked).toMatchObject({ status: 200, json: { need: 'unreadable', attempt: 1, tags: {}, done: false } });
    const done = await adopt(world, 'one');

    expect(done).toMatchObject({ status: 200, json: { done: true } });
    expect(await recordOf(world, 'one')).toMatchObject({ ...(before as object), rights: 2, holder: '' });
    await world.pass(120);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(world.cloud.calls.create).toBe(1);
    await world.deleteClaim('one');
    await world.pass(120);
    expect(world.cloud.living).toBe(0);
  });

  it('of a claim that was still being launched goes on with its machine', async () => {
    const world = await open({ cloud: { bootSeconds: 60 } });
    await world.createClaim('one');
    await world.pass(5);
    expect(world.cloud.living).toBe(1);
    await world.patchClaim('one', unreadable);
    await world.pass(5);

    expect(await adopt(world, 'one')).toMatchObject({ status: 200, json: { done: true } });

    await world.pass(200);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.ledger()).toHaveLength(1);
  });

  it('is no decision where there is no machine', async () => {
    const world = await open();
    await world.createClaim('one', unreadable);

    const answer = await adopt(world, 'one');

    expect(answer).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('No instance of claim one') },
    });
    expect((await world.claim('one'))?.metadata.annotations?.[annotations.attempt]).toBe('{');
  });

  it('is no decision where there are several, or where one is leaving', async () => {
    const world = await open({ cloud: { deleteSeconds: 600 } });
    await world.createClaim('one');
    await world.settle();
    const { uid } = (await world.claim('one'))!.metadata;
    const [first] = world.cloud.ledger();
    await world.patchClaim('one', unreadable);
    const second = await theirMachine(world.cloud, { ...tagsOf(world, first!.id), [tagKeys.attempt]: '2' });

    expect(await adopt(world, 'one')).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('several') },
    });

    const owner = { deployment: world.services.deployment, cluster: value(await world.clusterServices.identity()) };
    const target = { id: second.id, owner: { ...owner, claimUid: uid, attempt: 2 } };
    value(await world.provider.beginDelete(target, new AbortController().signal));
    expect(await adopt(world, 'one')).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('is being deleted; try again') },
    });
  });

  it('that somebody repairs meanwhile stays as he wrote it', async () => {
    let world: TestWorld | undefined;
    let repaired: string | undefined;
    let looks = 0;
    const repairsMeanwhile = (provider: Provider): Provider => ({
      ...wrapped(provider),
      find: async (...given) => {
        const found = await provider.find(...given);
        // Between the last look and the write.
        if (repaired !== undefined && ++looks === 2) {
          await world?.patchClaim('one', { metadata: { annotations: { [annotations.attempt]: repaired } } });
        }
        return found;
      },
    });
    world = await open({ decorate: repairsMeanwhile });
    await world.createClaim('one');
    await world.settle();
    const record = (await recordOf(world, 'one')) as { attempt: number };
    await world.patchClaim('one', unreadable);
    repaired = JSON.stringify({ ...record, attempt: 7 });

    const answer = await adopt(world, 'one');

    expect(answer).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('a different attempt record in the meantime') },
    });
    expect(await recordOf(world, 'one')).toMatchObject({ attempt: 7 });
  });
});

describe('a record that nobody can read, where several providers know the node class', () => {
  const unreadable = { metadata: { annotations: { [annotations.attempt]: '{' }, finalizers: [terminationFinalizer] } };

  /** A second cloud. It comes first in the configuration, and takes no claims now. */
  async function withFarCloud(): Promise<{ world: TestWorld; far: SimCloud }> {
    let far: SimCloud | undefined;
    const world = await open({
      join: async ({ clusterUrl, clock }) => {
        const started = await startSimCloud({ clock, kubelet: { clusterUrl }, wakeByItself: false });
        far = started;
        const provider = {
          ...wrapped(createSimProvider({ url: started.url, clock })),
          name: 'far',
          serves: [],
        };
        return {
          providers: [{ provider, type: 'sim' }],
          settle: () => started.settle(),
          close: () => started.close(),
        };
      },
    });
    return { world, far: far! };
  }

  async function ourTags(world: TestWorld, name: string, attempt: number): Promise<Record<string, string>> {
    const { uid } = (await world.claim(name))!.metadata;
    const cluster = value(await world.clusterServices.identity());
    const { deployment } = world.services;
    return {
      [tagKeys.claim]: name,
      ...tagsFor({ deployment, cluster, claimUid: uid, attempt }),
    };
  }

  it('is written anew from a machine of one that takes no claims any more, and is no decision where both have one', async () => {
    const { world, far } = await withFarCloud();
    await world.createClaim('one', unreadable);
    const there = await theirMachine(far, await ourTags(world, 'one', 2));
    const looked = await adopt(world, 'one', { dryRun: true });
    expect(looked).toMatchObject({ status: 200, json: { provider: 'far', instance: there.id, attempt: 2 } });

    await theirMachine(world.cloud, await ourTags(world, 'one', 1));

    expect(await adopt(world, 'one')).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('several') },
    });
  });

  it('does not let its claim go while a write may still land with any of them', async () => {
    const { world, far } = await withFarCloud();
    await world.createClaim('one', unreadable);
    const tags = await ourTags(world, 'one', 1);
    await world.deleteClaim('one');
    await world.pass(1);
    // What was on its way when the record was lost.
    await theirMachine(world.cloud, tags);

    await world.pass(600);

    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living + far.living).toBe(0);
  });
});

describe('there is nothing to adopt', () => {
  it('of a claim that is being launched, is ours, is being deleted, or is not there', async () => {
    const world = await open();
    await world.createClaim('new', { requirements: only(['general-medium']) });
    expect((await adopt(world, 'new')).json.detail).toContain('has no instance yet');
    await world.settle();
    expect((await adopt(world, 'new')).json.detail).toContain('already belongs to this deployment');
    await world.deleteClaim('new');
    expect((await adopt(world, 'new')).json.detail).toContain('is being deleted');
    expect(await adopt(world, 'gone')).toMatchObject({ status: 404 });
  });
});

/** A copy that goes on to the original: its methods live on its class. */
function wrapped(provider: Provider): Provider {
  const own = Object.fromEntries(
    Object.getOwnPropertyNames(Object.getPrototypeOf(provider))
      .filter((key) => key !== 'constructor')
      .map((key) => [key, Reflect.get(provider, key).bind(provider)]),
  );
  return { ...provider, ...own };
}
