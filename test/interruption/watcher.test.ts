/** From a message of EventBridge to a claim that ends: each kind, and what must not happen. */

import { describe, expect, it } from 'vitest';
import type { FunctionServices } from '../../functions/declaration.ts';
import { interruptionWatcher } from '../../functions/watchers/interruption-watcher.ts';
import type { Json } from '../../shared/base/json.ts';
import { failed } from '../../shared/base/result.ts';
import { type ClusterApi, nodePools } from '../../shared/kube/contract.ts';
import { labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { unavailableOfferings } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { instanceIdOf } from '../../shared/providers/instance-id.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import {
  rebalanceRecommendation,
  reservationWarning,
  scheduledChange,
  spotWarning,
  stateChange,
} from '../../sim/aws/event-messages.ts';
import { aFleet } from '../nodes/a-fleet.ts';
import { logLines, only, pooled, useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionStatus, type TestWorld } from '../nodes/world.ts';

const open = useWorld();
const { signal } = new AbortController();
const facts = { id: 'm-1', at: Date.parse('2026-01-01T00:00:00Z') };
const spotOnly = {
  requirements: [
    ...(only(['general-small']) as Json[]),
    { key: labels.capacityType, operator: 'In', values: ['spot'] },
  ],
};

const deliver = (services: FunctionServices, message: unknown, receiveCount = 1): Promise<Handled> => {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return interruptionWatcher.handle(services, { body, receiveCount }, signal);
};

async function ready(world: TestWorld, name: string, more: { [key: string]: Json } = spotOnly): Promise<string> {
  await world.createClaim(name, more);
  await world.settle();
  return instanceOf(world, name);
}

const instanceOf = async ({ claim, provider }: TestWorld, name: string): Promise<string> =>
  instanceIdOf(provider, (await claim(name))?.status?.providerID ?? '') ?? '';

const isEnding = async ({ claim }: TestWorld, name: string): Promise<boolean> =>
  (await claim(name))?.metadata.deletionTimestamp !== undefined;

const count = async ({ services }: TestWorld, series: string): Promise<number> =>
  (await services.metrics.samples()).get(`karpenter_interruption_${series}`) ?? 0;

const marksOf = async ({ services, provider }: TestWorld) => [
  ...(await unavailableOfferings(services, provider.name)).keys(),
];

describe('a message about the machine of a claim', () => {
  it.each([
    ['spot_interrupted', 'SpotInterrupted', (id: string) => spotWarning(facts, id)],
    ['instance_stopped', 'InstanceStopping', (id: string) => stateChange(facts, id, 'stopping')],
    ['instance_terminated', 'InstanceTerminating', (id: string) => stateChange(facts, id, 'terminated')],
    ['scheduled_change', 'InstanceUnhealthy', (id: string) => scheduledChange(facts, [id])],
    [
      'capacity_reservation_interrupted',
      'CapacityReservationInterrupted',
      (id: string) => reservationWarning(facts, id),
    ],
  ])('%s deletes the claim, and says so on claim and Node', async (kind, reason, message) => {
    const world = await open();
    const id = await ready(world, 'one');
    const [node] = await world.nodes();
    expect(await deliver(world.services, message(id))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(true);
    expect((await world.eventsOf('one')).map((event) => event.reason)).toContain(reason);
    expect((await world.eventsOf(node?.metadata.name ?? '')).map((event) => event.reason)).toEqual([reason]);
    expect(await count(world, `received_messages_total{message_type="${kind}"}`)).toBe(1);
    expect(await count(world, 'deleted_messages_total')).toBe(1);
    expect(await count(world, 'message_queue_duration_seconds_count')).toBe(1);
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(await world.nodes()).toEqual([]);
    expect(world.cloud.living).toBe(0);
  });

  it('marks the offering of a spot machine that is taken back, and none of a machine that just ends', async () => {
    const world = await open();
    const ended = await ready(world, 'ended');
    await deliver(world.services, stateChange(facts, ended, 'terminated'));
    expect(await marksOf(world)).toEqual([]);
    const taken = await ready(world, 'taken');
    await deliver(world.services, spotWarning(facts, taken));
    expect(await marksOf(world)).toEqual(['general-small/zone-a/spot']);
  });

  it('marks what the cloud took, where it took another than the one asked for first', async () => {
    const fleet = aFleet();
    const world = await open({ decorate: fleet.decorate });
    fleet.out.set('general-small/zone-a/spot', 'insufficient-capacity');
    const zones = { key: labels.zone, operator: 'In', values: ['zone-a', 'zone-b'] };
    const id = await ready(world, 'one', {
      requirements: [spotOnly.requirements[0]!, spotOnly.requirements[2]!, zones],
    });
    await deliver(world.services, spotWarning(facts, id));
    expect((await marksOf(world)).toSorted()).toEqual(['general-small/zone-a/spot', 'general-small/zone-b/spot']);
  });

  it('of AWS Health ends the claims of all machines that it names, and no other', async () => {
    const world = await open();
    const ids = [await ready(world, 'one'), await ready(world, 'two')];
    await ready(world, 'three');
    await deliver(world.services, scheduledChange(facts, [...ids, 'i-somebody-elses', 'vol-1']));
    expect(await Promise.all(['one', 'two', 'three'].map((name) => isEnding(world, name)))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is found for a claim that is older than the index remembers, and for one that was indexed in a lost state', async () => {
    const world = await open();
    const id = await ready(world, 'one');
    await world.services.state.delete(`claim-of/${clusterName}/${world.provider.name}/${id}`);
    expect(await deliver(world.services, spotWarning(facts, id))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(true);
  });
});

describe('a rebalance recommendation', () => {
  const replace = { 'poolwright.dev/rebalance': 'replace' };
  const aPool = (world: TestWorld, annotations: Json) =>
    world.api.create(nodePools, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'pool', annotations },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: world.nodeClasses.group, kind: world.nodeClasses.kind, name: 'default' },
            requirements: [],
          },
        },
      },
    });

  it('is only told, unless somebody asked for more', async () => {
    const world = await open();
    const id = await ready(world, 'one');
    expect(await deliver(world.services, rebalanceRecommendation(facts, id))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(false);
    expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('SpotRebalanceRecommendation');
    expect(await marksOf(world)).toEqual([]);
  });

  it('of a pool that asked for it replaces the machine, and by another one', async () => {
    const world = await open();
    expect((await aPool(world, replace)).ok).toBe(true);
    const id = await ready(world, 'one', { ...spotOnly, metadata: pooled });
    await deliver(world.services, rebalanceRecommendation(facts, id));
    expect(await isEnding(world, 'one')).toBe(true);
    expect(await marksOf(world)).toEqual(['general-small/zone-a/spot']);
  });

  it('of a pool that did not is only told', async () => {
    const world = await open();
    expect((await aPool(world, {})).ok).toBe(true);
    const id = await ready(world, 'one', { ...spotOnly, metadata: pooled });
    await deliver(world.services, rebalanceRecommendation(facts, id));
    expect(await isEnding(world, 'one')).toBe(false);
  });

  it('of a claim without a pool that asked for it itself replaces it', async () => {
    const world = await open();
    const id = await ready(world, 'one', { ...spotOnly, metadata: { annotations: replace } });
    await deliver(world.services, rebalanceRecommendation(facts, id));
    expect(await isEnding(world, 'one')).toBe(true);
  });
});

describe('what must do no harm', () => {
  it('a message handled twice: the second finds its claim ending, and tells nothing more', async () => {
    const world = await open();
    const id = await ready(world, 'one');
    for (let time = 1; time <= 2; time++)
      expect(await deliver(world.services, spotWarning(facts, id), time)).toBe('done');
    const told = (await world.eventsOf('one')).filter(({ reason }) => reason === 'SpotInterrupted');
    expect(told.map((event) => event.count)).toEqual([1]);
    expect(await count(world, 'received_messages_total{message_type="spot_interrupted"}')).toBe(1);
  });

  it('a late message, about the machine of an earlier claim of the same name', async () => {
    const world = await open();
    const id = await ready(world, 'one');
    await world.deleteClaim('one');
    await world.settle();
    expect(await ready(world, 'one')).not.toBe(id);
    expect(await deliver(world.services, stateChange(facts, id, 'terminated'))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(false);
  });

  it('a late message, about the machine of an earlier attempt of the same claim', async () => {
    const world = await open({
      traits: { deadlines: { launchSeconds: 60, registrationSeconds: 60, initializationSeconds: 60 } },
      cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'never-registers' } }] },
    });
    await world.createClaim('one', spotOnly);
    await world.pass(40);
    const first = await instanceOf(world, 'one');
    await world.pass(600);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(await instanceOf(world, 'one')).not.toBe(first);
    const indexed = `claim-of/${clusterName}/${world.provider.name}/${first}`;
    // Also where the index still has it.
    const { uid } = (await world.claim('one'))!.metadata;
    await world.services.state.put(indexed, { name: 'one', uid });
    expect(await deliver(world.services, stateChange(facts, first, 'terminated'))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(false);
  });

  it("somebody else's machine", async () => {
    const world = await open();
    await ready(world, 'one');
    expect(await deliver(world.services, spotWarning(facts, 'i-0fedcba9876543210'))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(false);
    expect(await marksOf(world)).toEqual([]);
  });

  it('a claim in a cluster that another deployment acts on', async () => {
    let acts = true;
    const world = await open({
      ownership: {
        standing: async () =>
          acts ? { acts } : { acts, reason: 'NotOwner', who: 'other', why: 'another deployment acts here' },
      } as never,
    });
    const id = await ready(world, 'one');
    acts = false;
    expect(await deliver(world.services, spotWarning(facts, id))).toBe('done');
    expect(await isEnding(world, 'one')).toBe(false);
  });
});

describe('a warning that comes before the claim has its machine on record', () => {
  it('is noted, and ends the claim as soon as its launch knows the machine', async () => {
    const fleet = aFleet();
    const world = await open({ decorate: fleet.decorate });
    let handled: Handled | undefined;
    // Between the create and its first poll: the cloud has the machine, the cluster does not know it.
    fleet.afterCreate = async () => {
      const [made] = world.cloud.ledger();
      handled = await deliver(world.services, spotWarning(facts, made?.id ?? ''));
    };
    await world.createClaim('one', spotOnly);
    await world.settle();
    expect(handled).toBe('done');
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
    expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('SpotInterrupted');
    expect(await marksOf(world)).toEqual(['general-small/zone-a/spot']);
  });

  it('comes again soon where the index has it and the claim has not, and is let go in the end', async () => {
    const world = await open();
    const { metadata } = await world.createClaim('one', spotOnly);
    await world.services.state.put(`claim-of/${clusterName}/${world.provider.name}/i-1`, {
      name: 'one',
      uid: metadata.uid,
    });
    const looks: Handled[] = [];
    for (let time = 1; time <= 6; time++) looks.push(await deliver(world.services, spotWarning(facts, 'i-1'), time));
    expect(looks.slice(0, 5)).toEqual(
      [1, 2, 4, 8, 16].map((seconds) => expect.objectContaining({ retryAfterSeconds: seconds })),
    );
    expect(looks[5]).toBe('done');
    expect(await isEnding(world, 'one')).toBe(false);
  });
});

describe('bad input', () => {
  it('a message that is no JSON, and one about something else, are counted and dropped', async () => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    const unknown = { ...spotWarning(facts, 'i-1'), 'detail-type': 'EC2 Fleet Spot Instance Request Change' };
    for (const body of ['not json', '{"a":1}', '[]', unknown]) expect(await deliver(world.services, body)).toBe('done');
    expect(await count(world, 'received_messages_total{message_type="malformed"}')).toBe(3);
    expect(await count(world, 'received_messages_total{message_type="no_op"}')).toBe(1);
    expect(await count(world, 'deleted_messages_total')).toBe(4);
    // Bounded: one line says that there was nonsense, and the next tells how much.
    expect(lines.filter(({ event }) => event === 'interruption.malformed')).toHaveLength(1);
    world.clock.advance(61_000);
    await deliver(world.services, 'still not json');
    const told = lines.filter(({ event }) => event === 'interruption.malformed');
    expect(told.map(({ dropped }) => dropped)).toEqual([1, 3]);
    expect(JSON.stringify(told)).not.toContain('still');
  });
});

it('a cluster that does not answer gets the message again, with growing pauses', async () => {
  const world = await open();
  const id = await ready(world, 'one');
  const silent: ClusterApi = { ...world.api, get: async () => failed('unavailable', 'no answer') };
  const services = {
    ...world.services,
    workflows: world.services.workflows,
    clusters: [{ ...world.clusterServices, api: silent }],
  };
  expect(await deliver(services, spotWarning(facts, id), 1)).toEqual({ retryAfterSeconds: 1, reason: 'no answer' });
  expect(await deliver(services, spotWarning(facts, id), 5)).toEqual({ retryAfterSeconds: 16, reason: 'no answer' });
  expect(await deliver(world.services, spotWarning(facts, id), 6)).toBe('done');
  expect(await isEnding(world, 'one')).toBe(true);
});
