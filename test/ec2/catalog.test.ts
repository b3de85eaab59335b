import { afterEach, describe, expect, test } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { compileCatalog } from '../../shared/nodes/claims/choice/catalog.ts';
import { chooseOfferings } from '../../shared/nodes/claims/choice/choose.ts';
import type { InstanceType, Offering } from '../../shared/nodes/claims/choice/offerings.ts';
import { parseRequirements } from '../../shared/nodes/claims/spec/requirements.ts';
import type { ResolvedEc2Class } from '../../shared/providers/ec2/node-class/resolved.ts';
import { awsLabels } from '../../shared/providers/ec2/node-labels.ts';
import { ec2World, signal, type WorldOptions } from './world.ts';

type World = Awaited<ReturnType<typeof ec2World>>;
const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

async function start(options: WorldOptions = {}): Promise<World> {
  const world = await ec2World(options);
  open.push(world);
  return world;
}
async function classOf(world: World, more: { [field: string]: Json } = {}): Promise<ResolvedEc2Class> {
  const resolved = await world.classes.resolve(world.nodeClass(more), signal);
  if (!resolved.ok) expect.fail(resolved.error.message);
  return resolved.value;
}
async function typesOf(world: World, more: { [field: string]: Json } = {}): Promise<readonly InstanceType[]> {
  const types = await world.catalog.instanceTypes(await classOf(world, more), signal);
  if (!types.ok) expect.fail(types.error.message);
  return types.value;
}
const named = (types: readonly InstanceType[], name: string): InstanceType => {
  const found = types.find((type) => type.name === name);
  if (found === undefined) expect.fail(`${name} is not there`);
  return found;
};
const line = ({ zone, capacityType, price, available }: Offering): string =>
  `${zone} ${capacityType} ${price} ${available}`;

describe('the catalog', () => {
  test('offers each type where it is sold and the class has a subnet, on demand and as spot, with prices', async () => {
    const world = await start();
    const { offerings, labels, exotic } = named(await typesOf(world), 'm5.large');

    expect(offerings.map(({ zone, capacityType }) => `${zone} ${capacityType}`)).toEqual([
      'us-east-1a on-demand',
      'us-east-1a spot',
      'us-east-1b on-demand',
      'us-east-1b spot',
      'us-east-1c on-demand',
      'us-east-1c spot',
    ]);
    for (const offering of offerings) {
      expect(offering.price, line(offering)).toBeGreaterThan(0);
      if (offering.capacityType === 'spot') expect(offering.price).toBeLessThan(0.096);
      else expect(offering.price).toBe(0.096);
    }
    expect(labels).toMatchObject({
      [awsLabels.family]: 'm5',
      [awsLabels.category]: 'm',
      'kubernetes.io/arch': 'amd64',
    });
    expect(exotic).toBeUndefined();
  });

  test('offers nothing in a zone without a subnet, or where the type is not sold', async () => {
    const world = await start();
    const zonesOf = async (more: { [field: string]: Json }, name: string) =>
      new Set(named(await typesOf(world, more), name).offerings.map(({ zone }) => zone));

    expect(await zonesOf({ subnetSelectorTerms: [{ id: 'subnet-0private1' }] }, 'm5.large')).toEqual(
      new Set(['us-east-1b']),
    );
    const rare = world.aws.account.types.find(({ zones }) => zones.length < 3);
    if (rare === undefined) expect.fail('the stand-in sells everything everywhere');
    expect(await zonesOf({}, rare.name)).toEqual(
      new Set(rare.zones.map((index) => world.aws.account.zones[index]?.name)),
    );
  });

  test('lets a claim ask for the id of a zone, which is the same in every account', async () => {
    const world = await start();
    const catalog = compileCatalog(await typesOf(world));
    const [wanted] = world.aws.account.zones.slice(1);
    if (wanted === undefined) expect.fail('the stand-in has one zone only');
    const requirements = parseRequirements([{ key: awsLabels.zoneId, operator: 'In', values: [wanted.id] }]);
    if (!requirements.ok) expect.fail('requirements should be fine');
    const { candidates } = chooseOfferings({ catalog, requirements: requirements.value });
    expect(candidates.length).toBeGreaterThan(0);
    expect(new Set(candidates.map(({ zone }) => zone))).toEqual(new Set([wanted.name]));
  });

  test('has only types for which the class has an image', async () => {
    const world = await start();
    const archOf = (types: readonly InstanceType[]) => new Set(types.map(({ labels }) => labels['kubernetes.io/arch']));
    expect(archOf(await typesOf(world))).toEqual(new Set(['amd64', 'arm64']));
    expect(archOf(await typesOf(world, { amiSelectorTerms: [{ alias: 'windows2022@latest' }] }))).toEqual(
      new Set(['amd64']),
    );
    const al2 = await typesOf(world, { amiSelectorTerms: [{ alias: 'al2@latest' }] });
    expect(al2.some(({ name }) => name.startsWith('g5g.'))).toBe(false);
  });

  test('marks accelerators and bare metal, which nobody gets by chance', async () => {
    const exotic = (await typesOf(await start())).filter((type) => type.exotic).map(({ name }) => name);
    for (const name of ['g4dn.xlarge', 'inf2.xlarge', 'm5.metal']) expect(exotic).toContain(name);
    expect(exotic).not.toContain('m5.large');
  });

  test('offers reservations of the class, and says when nothing is left of them', async () => {
    const world = await start({
      reservations: [
        { id: 'cr-0one', instanceType: 'm5.large', zone: 'us-east-1a', total: 1 },
        { id: 'cr-0two', instanceType: 'm5.xlarge', zone: 'us-east-1b', total: 1, used: 1 },
      ],
    });
    const types = await typesOf(world, { capacityReservationSelectorTerms: [{ id: 'cr-0one' }, { id: 'cr-0two' }] });
    const reserved = (name: string) =>
      named(types, name).offerings.filter(({ capacityType }) => capacityType === 'reserved');
    expect(reserved('m5.large')).toMatchObject([{ zone: 'us-east-1a', available: true, price: 0.096 }]);
    expect(reserved('m5.xlarge')).toMatchObject([
      { zone: 'us-east-1b', available: false, unavailableReason: 'no capacity is left in cr-0two' },
    ]);
    expect(reserved('m5.2xlarge')).toEqual([]);
  });

  test('tells a launch the image of a type, and its pods only where the node would count otherwise', async () => {
    const plain = await start();
    const resolved = await classOf(plain);
    await plain.catalog.instanceTypes(resolved, signal);
    const setUp = (name: string) => plain.catalog.setUp(resolved, { name });
    expect(setUp('m5.large')).toMatchObject({ ami: { arch: 'amd64', variant: 'standard' }, maxPods: undefined });
    expect(setUp('m7g.large')).toMatchObject({ ami: { arch: 'arm64', variant: 'standard' } });
    expect(setUp('g4dn.xlarge')).toMatchObject({ ami: { arch: 'amd64', variant: 'nvidia' } });
    expect(setUp('inf2.xlarge')).toMatchObject({ ami: { arch: 'amd64', variant: 'neuron' } });
    expect(setUp('nobody.large')).toEqual({ ami: undefined });

    const reserving = await start({ reservedENIs: 1 });
    const other = await classOf(reserving);
    await reserving.catalog.instanceTypes(other, signal);
    expect(reserving.catalog.setUp(other, { name: 'm5.large' }).maxPods).toBe(20);
  });
});

describe('what EC2 was asked', () => {
  const asked = ({ aws }: World) => {
    const {
      'ssm:GetParameters': _1,
      'ec2:DescribeImages': _2,
      'ec2:DescribeSubnets': _3,
      'ec2:DescribeSecurityGroups': _4,
      ...rest
    } = aws.calls();
    return rest;
  };

  test('serves a hundred claims, and another function, with one question each', async () => {
    const world = await start();
    const lists = await Promise.all(Array.from({ length: 100 }, () => typesOf(world)));
    expect(new Set(lists).size).toBe(1);
    const once = asked(world);
    expect(once).toEqual({
      'ec2:DescribeInstanceTypes': expect.any(Number),
      'ec2:DescribeInstanceTypeOfferings': expect.any(Number),
      'ec2:DescribeSpotPriceHistory': expect.any(Number),
      'pricing:GetProducts': expect.any(Number),
    });
    const other = world.another();
    const types = await other.catalog.instanceTypes(await classOf(world), signal);
    expect(types.ok && types.value).toEqual(lists[0]);
    expect(asked(world)).toEqual(once);
  });

  test('is asked again when it is old, spot prices first', async () => {
    const world = await start();
    await typesOf(world);
    const once = asked(world);
    world.clock.advance(3601_000);
    await typesOf(world);
    expect(asked(world)).toEqual({
      ...once,
      'ec2:DescribeSpotPriceHistory': 2 * (once['ec2:DescribeSpotPriceHistory'] ?? 0),
    });
  });

  test('leaves prices unknown where the price list can not be had, says it once, and never zero', async () => {
    const world = await start({ denied: ['pricing:GetProducts', 'ec2:DescribeSpotPriceHistory'] });
    for (let count = 0; count < 5; count++) {
      const { offerings } = named(await typesOf(world), 'm5.large');
      expect(offerings.map(({ price, available }) => [price, available])).toEqual(
        Array.from({ length: 6 }, () => [undefined, true]),
      );
    }
    expect(asked(world)).toMatchObject({ 'pricing:GetProducts': 1, 'ec2:DescribeSpotPriceHistory': 1 });
    const said = world.log.lines.filter(({ event }) => event === 'catalogue.failed');
    expect(said.map(({ fields }) => fields.what).sort()).toEqual(['prices-Linux-default', 'spot-Linux']);
  });

  test('is not asked for prices where the configuration says so', async () => {
    const world = await start({ prices: false });
    const { offerings } = named(await typesOf(world), 'm5.large');
    expect(offerings.filter(({ capacityType }) => capacityType === 'on-demand').map(({ price }) => price)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(asked(world)['pricing:GetProducts']).toBeUndefined();
  });

  test('is a failure where types were never known, and stays in use where they were', async () => {
    const world = await start();
    world.aws.failAction({ action: 'DescribeInstanceTypes', code: 'UnauthorizedOperation', status: 403, count: 1 });
    const resolved = await classOf(world);
    expect(await world.catalog.instanceTypes(resolved, signal)).toMatchObject({
      ok: false,
      error: { kind: 'unauthorised' },
    });
    const before = await typesOf(world);
    world.clock.advance(13 * 3600_000);
    world.aws.failAction({ action: 'DescribeInstanceTypes', code: 'InternalError', count: 1 });
    expect((await typesOf(world)).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  });
});
