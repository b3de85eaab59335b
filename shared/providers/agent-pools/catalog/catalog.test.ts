import { describe, expect, test } from 'vitest';
import { testContext } from '../../../../test/stand-ins/provider-context.ts';
import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { manualClock } from '../../../base/runtime.ts';
import { compileCatalog } from '../../../nodes/claims/choice/catalog.ts';
import { chooseOfferings } from '../../../nodes/claims/choice/choose.ts';
import { isInScope, type OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import { parseRequirements } from '../../../nodes/claims/spec/requirements.ts';
import { azureCodes } from '../../../platforms/azure/error-rules.ts';
import { type AksCatalogOptions, aksCatalog } from './aks.ts';
import { arcCatalog } from './arc.ts';
import { withScope } from './unavailable.ts';

const signal = new AbortController().signal;
const nodeClass = { name: 'default', spec: {} };

const sku = (name: string, family: string, capabilities: Record<string, string>, more: object = {}): Json => ({
  resourceType: 'virtualMachines',
  name,
  family,
  locations: ['eastus'],
  locationInfo: [{ location: 'eastus', zones: ['1', '3', '2'] }],
  capabilities: Object.entries(capabilities).map(([key, value]) => ({ name: key, value })),
  restrictions: [],
  ...more,
});

const skus = [
  sku('Standard_NC24ads_A100_v4', 'StandardNCADSA100v4Family', {
    vCPUs: '24',
    MemoryGB: '220',
    GPUs: '1',
    LowPriorityCapable: 'True',
    CpuArchitectureType: 'x64',
    PremiumIO: 'True',
  }),
  sku('Standard_D8s_v5', 'standardDSv5Family', { vCPUs: '8', MemoryGB: '32', LowPriorityCapable: 'True' }),
  sku('Standard_D8-2s_v5', 'standardDSv5Family', { vCPUs: '8', vCPUsAvailable: '2', MemoryGB: '32' }),
  sku('Standard_D16ps_v6', 'standardDPSv6Family', { vCPUs: '16', MemoryGB: '64', CpuArchitectureType: 'Arm64' }),
  sku('Standard_ND96isr_MI300X_v5', 'standardNDISv5MI300XFamily', { vCPUs: '96', MemoryGB: '1850', GPUs: '8' }),
  sku('Standard_B1s', 'standardBSFamily', { vCPUs: '1', MemoryGB: '1' }),
  sku(
    'Standard_E8s_v5',
    'standardESv5Family',
    { vCPUs: '8', MemoryGB: '64' },
    {
      restrictions: [
        {
          type: 'Zone',
          values: ['eastus'],
          restrictionInfo: { locations: ['eastus'], zones: ['2'] },
          reasonCode: 'NotAvailableForSubscription',
        },
      ],
    },
  ),
  sku(
    'Standard_HB120rs_v3',
    'standardHBrsv3Family',
    { vCPUs: '120', MemoryGB: '448' },
    {
      restrictions: [
        {
          type: 'Location',
          values: ['eastus'],
          restrictionInfo: { locations: ['eastus'] },
          reasonCode: 'NotAvailableForSubscription',
        },
      ],
    },
  ),
  { resourceType: 'disks', name: 'Premium_LRS' },
  { resourceType: 'virtualMachines', name: 7 },
];

const meter = (armSkuName: string, meterName: string, retailPrice: number, more: object = {}): Json => ({
  type: 'Consumption',
  armSkuName,
  armRegionName: 'eastus',
  meterName,
  productName: 'Virtual Machines Dsv5 Series',
  unitOfMeasure: '1 Hour',
  retailPrice,
  effectiveStartDate: '2025-01-01T00:00:00Z',
  ...more,
});

const meters = [
  meter('Standard_D8s_v5', 'D8s v5', 0.384),
  meter('Standard_D8s_v5', 'D8s v5', 0.5, { effectiveStartDate: '2024-01-01T00:00:00Z' }),
  meter('Standard_D8s_v5', 'D8s v5 Spot', 0.08),
  meter('Standard_D8s_v5', 'D8s v5 Low Priority', 0.07),
  meter('Standard_D8s_v5', 'D8s v5', 0.752, { productName: 'Virtual Machines Dsv5 Series Windows' }),
  meter('Standard_D8s_v5', 'D8s v5', 0.1, { armRegionName: 'westus' }),
  meter('Standard_D8s_v5', 'D8s v5', 1000, { type: 'Reservation' }),
  meter('Standard_E8s_v5', 'E8s v5', 0),
];

const usage = (value: string, currentValue: number, limit: number): Json => ({
  name: { value, localizedValue: `${value} vCPUs` },
  currentValue,
  limit,
  unit: 'Count',
});

/** Azure, in memory: lists come in pages of three. */
function fakeAzure() {
  const calls: string[] = [];
  const azure = {
    calls,
    usages: [usage('cores', 10, 1000), usage('standardDSv5Family', 0, 100), usage('lowPriorityCores', 0, 10)],
    broken: false as boolean,
    brokenPrices: false as boolean,
    arm: async (url: string): Promise<Result<Json>> => {
      calls.push(url);
      if (azure.broken) return failed('unavailable', 'ARM is away');
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith('/usages')) return ok({ value: azure.usages });
      if (searchParams.get('$filter') !== "location eq 'eastus'") return ok({ value: [] });
      const from = Number(searchParams.get('skip') ?? 0);
      const next = from + 3 < skus.length ? { nextLink: `${url.split('&skip')[0]}&skip=${from + 3}` } : {};
      return ok({ value: skus.slice(from, from + 3), ...next });
    },
    prices: async (url: string): Promise<Result<Json>> => {
      calls.push(url);
      return azure.brokenPrices ? failed('unavailable', 'no prices') : ok({ Items: meters, NextPageLink: null });
    },
  };
  return azure;
}

function world(options: Partial<AksCatalogOptions> = {}) {
  const azure = fakeAzure();
  const clock = manualClock();
  const context = testContext({ clock });
  const open = () =>
    aksCatalog({
      context,
      endpoint: 'https://arm.test',
      subscriptionId: 'sub-1',
      location: 'East US',
      arm: azure.arm,
      prices: { fetchJson: azure.prices },
      ...options,
    });
  return { azure, clock, context, open, catalog: open() };
}

const offering = (instanceType: string, more: Partial<OfferingRef> = {}): OfferingRef => ({
  instanceType,
  zone: '',
  capacityType: 'on-demand',
  ...more,
});

async function typesOf(catalog: ReturnType<typeof aksCatalog>, spec: Json = {}) {
  const types = await catalog.instanceTypes({ ...nodeClass, spec }, signal);
  if (!types.ok) throw new Error(types.error.message);
  return new Map(types.value.map((type) => [type.name, type]));
}

describe('sizes', () => {
  test('a size becomes a type with its resources, labels, and an offering per zone and capacity type', async () => {
    const { catalog } = world();
    const types = await typesOf(catalog);

    expect(types.get('Standard_NC24ads_A100_v4')).toMatchObject({
      labels: {
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'eastus',
        'karpenter.azure.com/sku-family': 'N',
        'karpenter.azure.com/sku-version': '4',
        'karpenter.azure.com/sku-gpu-name': 'A100',
        'karpenter.azure.com/sku-gpu-manufacturer': 'nvidia',
        'karpenter.azure.com/sku-gpu-count': '1',
        'karpenter.azure.com/sku-cpu': '24',
        'karpenter.azure.com/sku-memory': '225280',
        'karpenter.azure.com/sku-storage-premium-capable': 'true',
        'karpenter.azure.com/sku-series': 'NCads_v4',
        'karpenter.azure.com/sku-storage-ultra-ssd': 'false',
        'kubernetes.azure.com/sku-cpu': '24',
        'kubernetes.azure.com/sku-memory': '225280',
        'kubernetes.azure.com/mode': 'user',
        'kubernetes.azure.com/os-sku': 'Ubuntu',
      },
      capacity: { cpu: '24', 'nvidia.com/gpu': '1', pods: '110', 'ephemeral-storage': '512Gi' },
      allocatable: { cpu: '23660m', 'nvidia.com/gpu': '1' },
    });
    expect(
      types.get('Standard_NC24ads_A100_v4')?.offerings.map(({ zone, capacityType }) => `${zone}/${capacityType}`),
    ).toEqual(
      ['', 'eastus-1', 'eastus-2', 'eastus-3']
        .flatMap((zone) => [`${zone}/on-demand`])
        .concat(['', 'eastus-1', 'eastus-2', 'eastus-3'].map((zone) => `${zone}/spot`)),
    );
    expect(types.get('Standard_D16ps_v6')?.labels['kubernetes.io/arch']).toBe('arm64');
    expect(types.get('Standard_ND96isr_MI300X_v5')?.capacity['amd.com/gpu']).toBe('8');
    expect(types.get('Standard_D8-2s_v5')?.capacity.cpu).toBe('2');
    expect(types.has('Standard_B1s')).toBe(false);
  });

  test('a restriction takes away the zones it names, or the whole location', async () => {
    const { catalog } = world();
    const types = await typesOf(catalog);
    const available = (name: string) =>
      types
        .get(name)
        ?.offerings.filter((one) => one.available)
        .map(({ zone }) => zone);

    expect(available('Standard_E8s_v5')).toEqual(['', 'eastus-1', 'eastus-3']);
    expect(available('Standard_HB120rs_v3')).toEqual([]);
    expect(types.get('Standard_HB120rs_v3')?.offerings[0]?.unavailableReason).toContain(
      'does not offer it to this subscription',
    );
  });

  test('what the node class says about pods and disk shapes the machine', async () => {
    const { catalog } = world();
    const type = (await typesOf(catalog, { maxPods: 30, osDiskSizeGB: 64 })).get('Standard_D8s_v5');

    expect(type?.capacity).toMatchObject({ pods: '30', 'ephemeral-storage': '64Gi', memory: '30310Mi' });
    expect(type?.allocatable).toMatchObject({ cpu: '7820m', memory: `${30310 - 650 - 100}Mi` });
  });

  test('a claim that does not care about zones is offered the location first, and an unknown size its nearest', async () => {
    const { catalog } = world();
    const types = await catalog.instanceTypes(nodeClass, signal);
    const choose = (size: string) => {
      const requirements = parseRequirements([
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [size] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ]);
      return chooseOfferings({
        catalog: compileCatalog(types.ok ? types.value : []),
        requirements: requirements.ok ? requirements.value : new Map(),
      });
    };

    expect(choose('Standard_D8s_v5').candidates[0]).toMatchObject({ zone: '', capacityType: 'on-demand' });
    expect(choose('Standard_D8s_v4').summary).toContain('closest to "Standard_D8s_v4" is "Standard_D8s_v5"');
  });

  test('a location without sizes is refused with what to check', async () => {
    const { catalog } = world({ location: 'moonbase' });
    expect(await catalog.instanceTypes(nodeClass, signal)).toMatchObject({
      ok: false,
      error: { kind: 'invalid', message: expect.stringContaining('"moonbase"') },
    });
  });

  test('the token does not follow a link to another host', async () => {
    const asked: string[] = [];
    const { catalog } = world({
      arm: async (url) => {
        asked.push(new URL(url).host);
        return ok({ value: skus, nextLink: 'https://elsewhere.test/next' });
      },
    });
    expect(await catalog.instanceTypes(nodeClass, signal)).toMatchObject({ ok: false });
    expect(asked).toEqual(['arm.test']);
  });
});

describe('prices', () => {
  test('are those of Linux, of the location, on demand and spot; what is not there is unknown', async () => {
    const { catalog } = world();
    const types = await typesOf(catalog);
    const price = (name: string, capacityType: string) =>
      types.get(name)?.offerings.find((one) => one.capacityType === capacityType)?.price;

    expect(price('Standard_D8s_v5', 'on-demand')).toBe(0.384);
    expect(price('Standard_D8s_v5', 'spot')).toBe(0.08);
    expect(price('Standard_E8s_v5', 'on-demand')).toBeUndefined();
    expect(price('Standard_NC24ads_A100_v4', 'on-demand')).toBeUndefined();
  });

  test('a price list that fails, or is switched off, leaves prices unknown and is not asked at every choice', async () => {
    const { azure, catalog } = world();
    azure.brokenPrices = true;
    const first = await typesOf(catalog);
    await typesOf(catalog);

    expect(first.get('Standard_D8s_v5')?.offerings[0]?.price).toBeUndefined();
    expect(azure.calls.filter((url) => url.includes('retail'))).toHaveLength(1);
    const off = world({ prices: undefined });
    expect((await typesOf(off.catalog)).get('Standard_D8s_v5')?.offerings[0]?.price).toBeUndefined();
  });
});

describe('what is kept', () => {
  test('the next process asks nobody; after half a day Azure is asked again, and the old list serves while it is away', async () => {
    const { azure, clock, catalog, open } = world();
    const before = await typesOf(catalog);
    const asked = azure.calls.length;

    const second = open();
    expect([...(await typesOf(second)).keys()]).toEqual([...before.keys()]);
    expect(azure.calls).toHaveLength(asked);

    clock.advance(13 * 3600 * 1000);
    azure.broken = true;
    expect((await typesOf(second)).size).toBe(before.size);
    const whileAway = azure.calls.length;
    expect(whileAway).toBeGreaterThan(asked);
    await typesOf(second);
    expect(azure.calls).toHaveLength(whileAway);
  });

  test('a list too long for one value of the state is kept in parts', async () => {
    const random = (index: number): string =>
      [...Array(12)].map((_, at) => ((index * 2654435761 * (at + 7)) >>> 0).toString(36)).join('');
    const many = Array.from({ length: 1500 }, (_, index) =>
      sku(`Standard_X${index}_${random(index)}`, random(index + 9), { vCPUs: '4', MemoryGB: '8' }),
    );
    let calls = 0;
    const { catalog, open } = world({
      prices: undefined,
      arm: async () => {
        calls++;
        return ok({ value: many });
      },
    });
    await typesOf(catalog);
    expect((await typesOf(open())).size).toBe(1500);
    expect(calls).toBe(1);
  });
});

describe('quota', () => {
  test('a create beyond the quota is refused with family, limit, usage, need and what to do', async () => {
    const { azure, catalog } = world();
    azure.usages = [usage('cores', 10, 1000), usage('StandardDSv5Family', 94, 100)];
    const refused = await catalog.checkQuota(offering('Standard_D8s_v5'), 'pool1', signal);

    expect(refused).toMatchObject({ ok: false, error: { kind: 'quota-exceeded', retryAfterSeconds: 600 } });
    const message = refused.ok ? '' : refused.error.message;
    expect(message).toContain(
      'the quota StandardDSv5Family vCPUs of subscription sub-1 in eastus has no room for Standard_D8s_v5: limit 100, in use 94, needed 8',
    );
    expect(message).toContain('Request an increase');
  });

  test.each([
    ['a family of limit zero', [usage('standardDSv5Family', 0, 0)], {}, 3600],
    ['all cores of the region', [usage('standardDSv5Family', 0, 100), usage('cores', 1000, 1000)], {}, 600],
    ['spot', [usage('lowPriorityCores', 0, 4)], { capacityType: 'spot' }, 3600],
  ] as const)('%s says how long it is worth nothing to ask', async (_, usages, more, seconds) => {
    const { azure, catalog } = world();
    azure.usages = [...usages];
    expect(await catalog.checkQuota(offering('Standard_D8s_v5', more), 'pool1', signal)).toMatchObject({
      ok: false,
      error: { kind: 'quota-exceeded', retryAfterSeconds: seconds },
    });
  });

  test('of a hundred claims at once only as many pass as there is quota, and asking again costs nothing', async () => {
    const { azure, clock, catalog } = world();
    const ask = (name: string) => catalog.checkQuota(offering('Standard_D8s_v5'), name, signal);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(`pool${index}`)));
    const passed = answers.flatMap((answer, index) => (answer.ok ? [`pool${index}`] : []));

    expect(passed).toHaveLength(12);
    expect((await ask(passed[3]!)).ok).toBe(true);
    expect((await ask('another')).ok).toBe(false);
    // The usages of Azure show by now that only one of them was made.
    clock.advance(180_000);
    azure.usages = [usage('cores', 18, 1000), usage('standardDSv5Family', 8, 100)];
    expect((await ask('another')).ok).toBe(true);
  });

  test('a refusal is never spoken on old figures', async () => {
    const { azure, clock, catalog } = world();
    azure.usages = [usage('standardDSv5Family', 100, 100)];
    expect((await catalog.checkQuota(offering('Standard_D8s_v5'), 'pool1', signal)).ok).toBe(false);
    clock.advance(40_000);
    azure.usages = [usage('standardDSv5Family', 0, 100)];
    expect((await catalog.checkQuota(offering('Standard_D8s_v5'), 'pool1', signal)).ok).toBe(true);
  });

  test('who may not read usages may still create, and so may who asks for a size that nobody knows', async () => {
    const { azure, catalog } = world();
    await typesOf(catalog);
    azure.broken = true;
    expect((await catalog.checkQuota(offering('Standard_D8s_v5'), 'pool1', signal)).ok).toBe(true);
    expect((await catalog.checkQuota(offering('Standard_D9s_v5'), 'pool1', signal)).ok).toBe(true);
  });
});

describe('what a refusal speaks for', () => {
  test('a family quota blocks the family from so many cores on, under that capacity type; a place only itself', async () => {
    const { azure, catalog } = world();
    azure.usages = [usage('standardDSv5Family', 96, 100)];
    const types = await catalog.instanceTypes(nodeClass, signal);
    const refused = await catalog.checkQuota(offering('Standard_D8s_v5'), 'pool1', signal);
    const scope = refused.ok ? undefined : refused.error.scope;
    const blocked = compileCatalog(types.ok ? types.value : []).offerings.filter(({ offering: one, type }) =>
      isInScope(one, type.labels, scope ?? {}),
    );

    expect(new Set(blocked.map(({ type, offering: one }) => `${type.name}/${one.capacityType}`))).toEqual(
      new Set(['Standard_D8s_v5/on-demand']),
    );
    const { place } = catalog;
    const size = catalog.size('Standard_D8s_v5');
    const allocation = { kind: 'insufficient-capacity', message: 'ZonalAllocationFailed: …' } as const;
    expect(withScope(allocation, offering('Standard_D8s_v5', { zone: 'eastus-1' }), size, place).scope).toBeUndefined();
    expect(withScope(allocation, offering('Standard_D8s_v5'), size, place).scope).toEqual({
      instanceType: 'Standard_D8s_v5',
      capacityType: 'on-demand',
      labels: { 'poolwright.dev/azure-place': 'sub-1/eastus' },
    });
    const spot = { kind: 'quota-exceeded', message: 'in words', code: azureCodes.spotQuota } as const;
    expect(withScope(spot, offering('Standard_D8s_v5', { capacityType: 'spot' }), size, place).scope).toEqual({
      capacityType: 'spot',
      labelsAtLeast: { 'karpenter.azure.com/sku-cpu': 8 },
      labels: { 'poolwright.dev/azure-place': 'sub-1/eastus' },
    });
  });
});

test.each([
  ['a family quota', 'quota-exceeded', azureCodes.familyQuota],
  ['another quota', 'quota-exceeded', undefined],
  ['a size that is not there', 'insufficient-capacity', azureCodes.sizeClosed],
] as const)('%s of one subscription says nothing about another, nor about another location', async (_, kind, code) => {
  const here = world().catalog;
  const type = (await typesOf(here)).get('Standard_D8s_v5');
  const one = offering('Standard_D8s_v5');
  const { scope = {} } = withScope(
    { kind, message: 'in words', ...defined({ code }) },
    one,
    here.size(one.instanceType),
    here.place,
  );
  const isOut = (place?: string) => {
    const labels = new Map(Object.entries(type?.labels ?? {}));
    if (place !== undefined) labels.set('poolwright.dev/azure-place', place);
    return isInScope(one, labels, scope);
  };

  expect([isOut(), isOut('sub-1/westus'), isOut('sub-2/eastus')]).toEqual([true, false, false]);
});

describe('Arc', () => {
  const body = (values: Json[]): Json => ({ properties: { provisioningState: 'Succeeded', values } });
  const gpuSize: Json = {
    name: 'Standard_NC4_A16',
    resourceType: 'virtualMachines',
    capabilities: [
      { name: 'vCpu', value: '4' },
      { name: 'MemoryMb', value: '8192' },
      { name: 'DiskSizeGb', value: '200' },
      { name: 'GpuCount', value: '1' },
      { name: 'GpuNameType', value: 'A16' },
    ],
  };
  const arc = (answer: Result<Json>) =>
    arcCatalog({
      context: testContext(),
      place: 'east',
      customLocation: '/subscriptions/s/resourceGroups/g/providers/Microsoft.ExtendedLocation/customLocations/edge',
      skus: async () => answer,
    });

  test('its sizes are on demand, without zone and price, and need no quota', async () => {
    const catalog = arc(ok(body([gpuSize, { name: 'broken' }])));
    expect(await catalog.instanceTypes(nodeClass, signal)).toMatchObject({
      ok: true,
      value: [
        {
          name: 'Standard_NC4_A16',
          labels: { 'karpenter.azure.com/sku-gpu-name': 'A16', 'kubernetes.io/arch': 'amd64' },
          capacity: { cpu: '4', 'nvidia.com/gpu': '1', 'ephemeral-storage': '200Gi' },
          offerings: [{ zone: '', capacityType: 'on-demand', price: undefined, available: true }],
        },
      ],
    });
    expect(await catalog.checkQuota(offering('Standard_NC4_A16'), 'pool1', signal)).toEqual(ok(undefined));
  });

  test('a custom location without sizes says so', async () => {
    expect(await arc(ok(body([]))).instanceTypes(nodeClass, signal)).toMatchObject({
      ok: false,
      error: { kind: 'not-ready', message: expect.stringContaining('customLocations/edge') },
    });
  });
});
