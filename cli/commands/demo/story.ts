/**
 * The story of the demo. Every statement in it is looked up in the cluster and in the cloud's ledger at the moment it is
 * made; one that does not hold ends the story.
 */
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { labels } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { LedgerEntry } from '../../../sim/cloud/instance.ts';
import type { Scene } from '../../../sim/scenes/scene.ts';
import type { Frame } from './frame.ts';
import { isReady } from './rows.ts';
import type { DemoWorld, Sight } from './world.ts';

export interface Host {
  readonly pid: number;
  /** kill -9; resolves when the process is gone, with what ended it. */
  kill(): Promise<string>;
}

export interface Stage extends Frame<Sight> {
  scene: Scene;
  world: DemoWorld;
}

/** A statement that does not hold. */
export class NotSo extends Error {
  override readonly name = 'NotSo';
}

const early = ['web-1', 'db-1', 'batch-1'];
const refused = ['web-2', 'web-3'];
const gpus = ['gpu-1', 'gpu-2'];
const whileDead = ['batch-2'];
const caught = 'gpu-1';

export async function tellStory(stage: Stage): Promise<void> {
  const { scene, world, until, beat, chapter, statement } = stage;
  const createAll = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await world.create(scene.claim(name));
  };
  chapter('the host starts');
  let host = await stage.startHost();
  statement(`the host runs as process ${host.pid}; the cloud and the cluster run in a separate process`, true);
  if (scene.nodeClass) await world.create(scene.nodeClass);

  chapter('claims are created, and nodes come up for them');
  await createAll(early);
  const first = await until(`${early.join(', ')} are Ready`, (sight) => readyOf(sight, early).length === early.length);
  statement(`${listOf(early)} are Ready, on ${first.nodes.length} nodes`, first.nodes.length === early.length);

  const sold = offeringOf(claimIn(first, 'web-1'));
  chapter(`${describe(sold)}, which web-1 has, is out of capacity; web-2 and web-3 want the same`);
  await beat();
  await world.setFaults([{ on: 'create', offering: ruleFor(sold), do: { kind: 'sold-out' } }]);
  await createAll(refused);
  const second = await until('web-2 and web-3 have instances', (sight) =>
    refused.every((name) => instancesOf(sight, name).length > 0),
  );
  const taken = refused.flatMap((name) => instancesOf(second, name));
  const others = [...new Set(taken.map((instance) => describe(instance)))].join(' and ');
  // A cloud that is asked for one offering at a time says no first; one that is given many to choose from just takes another.
  const howTaken = taken.some(({ attempt }) => (attempt ?? 0) > 1) !== scene.choosesItself;
  statement(
    `${describe(sold)} was out of capacity; web-2 and web-3 got ${others}${scene.choosesItself ? ' on the first try' : ''}`,
    taken.every((instance) => describe(instance) !== describe(sold)) && howTaken,
  );

  chapter(`two GPUs; the cloud creates an instance for ${caught}, and its response does not arrive`);
  await beat();
  await world.setFaults([{ on: 'create', claim: caught, count: 1, do: { kind: 'timeout', effect: 'done' } }]);
  await createAll(gpus);
  const inCreate = await until(
    `the cloud creates an instance for ${caught}`,
    (sight) => instancesOf(sight, caught).length > 0,
  );
  const machine = instancesOf(inCreate, caught)[0]?.id ?? '';
  const ignorant = claimIn(await world.look(), caught).status?.providerID === undefined;
  const end = await host.kill();
  statement(
    `process ${host.pid} was killed with kill -9 during the create: ${machine} exists, but ${caught} has no record of it`,
    end === 'SIGKILL' && ignorant && machine !== '',
  );

  chapter('the host is dead; batch-2 is created anyway, then the host restarts');
  await createAll(whileDead);
  await beat();
  host = await stage.startHost();
  statement(`the host is up again, as process ${host.pid}`, true);

  chapter('every claim becomes Ready');
  const all = Object.keys(scene.wishes);
  await until('every claim is Ready', (sight) => readyOf(sight, all).length === all.length);
  const ready = await until('there are as many nodes and instances as claims', (sight) =>
    [sight.nodes, living(sight)].every((things) => things.length === all.length),
  );
  statement(`all ${all.length} claims are Ready: ${ready.nodes.length} nodes, ${living(ready).length} instances`, true);
  const known = claimIn(ready, caught).status?.providerID ?? '';
  statement(
    `${caught} runs on ${machine}, created before the kill; no second instance was created`,
    scene.isMachine(known, machine) && instancesOf(ready, caught).length === 1,
  );

  chapter('all claims are deleted');
  await beat();
  for (const name of all) await world.deleteClaim(name);
  await until(`all but ${caught} are gone`, ({ claims }) => claims.every(({ metadata }) => metadata.name === caught));
  chapter(`${caught} stays until no late request of the killed host can still reach the cloud`);
  await until(
    'nothing is left',
    (sight) => sight.claims.length === 0 && sight.nodes.length === 0 && living(sight).length === 0,
  );
  statement('all claims are deleted, and gone', true);
  chapter('the end');
}

export const living = ({ ledger }: Sight): LedgerEntry[] => ledger.filter(({ goneAt }) => goneAt === null);

const instancesOf = ({ ledger, claims }: Sight, name: string): LedgerEntry[] => {
  const uid = claims.find(({ metadata }) => metadata.name === name)?.metadata.uid;
  return uid === undefined ? [] : ledger.filter(({ claimUid }) => claimUid === uid);
};

const readyOf = ({ claims }: Sight, names: readonly string[]): NodeClaim[] =>
  claims.filter((claim) => names.includes(claim.metadata.name) && isReady(claim));

function claimIn({ claims }: Sight, name: string): NodeClaim {
  const claim = claims.find(({ metadata }) => metadata.name === name);
  if (!claim) throw new NotSo(`the cluster has no claim ${name}`);
  return claim;
}

interface Offering {
  instanceType: string;
  zone: string;
  capacityType: string;
}

function offeringOf(claim: NodeClaim): Offering {
  const {
    [labels.instanceType]: instanceType,
    [labels.zone]: zone = '',
    [labels.capacityType]: capacityType,
  } = claim.metadata.labels ?? {};
  if (!instanceType || !capacityType) throw new NotSo(`${claim.metadata.name} does not say what it got`);
  return { instanceType, zone, capacityType };
}

const describe = ({ instanceType, zone, capacityType }: Offering): string =>
  `${instanceType}${hasZone(zone) ? ` in ${zone}` : ''} (${capacityType})`;

/** Outside of all zones a machine of Azure shows the number of its fault domain. */
const hasZone = (zone: string): boolean => zone !== '' && zone !== '0';

/** What was bought in no zone is sold out in all of them. */
const ruleFor = ({ zone, ...offering }: Offering) => (hasZone(zone) ? { zone, ...offering } : offering);

const listOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
