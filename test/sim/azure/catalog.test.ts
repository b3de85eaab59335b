import { expect, test } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import type { Azure, AzureOptions } from '../../../sim/azure/start.ts';
import { gpuPool, rawClient, standIn } from './stand-in.ts';

type Row = { [key: string]: Json };

async function pages(azure: Azure, first: string, items: string, next: string): Promise<Row[][]> {
  const arm = rawClient(azure);
  const found: Row[][] = [];
  for (let url: Json | undefined = first; typeof url === 'string'; ) {
    const { status, body } = await arm('GET', url);
    expect(status).toBe(200);
    found.push(body[items] as Row[]);
    url = body[next];
  }
  return found;
}

const skus = async (options: AzureOptions = {}) => {
  const { azure } = await standIn(options);
  const path = `/subscriptions/${azure.subscription}/providers/Microsoft.Compute/skus`;
  const found = await pages(azure, `${path}?api-version=2021-07-01&$filter=location eq 'eastus'`, 'value', 'nextLink');
  return { found, byName: new Map(found.flat().map((row) => [row.name, row])) };
};

test('sizes come in pages with what they can do, where they are, and where they are not to be had', async () => {
  const { found, byName } = await skus({ settings: { pageSize: 10 } });
  expect(found.length).toBeGreaterThan(2);
  expect(byName.get('Premium_LRS')).toMatchObject({ resourceType: 'disks' });
  expect(byName.get('Standard_NC12s_v3')).toMatchObject({
    resourceType: 'virtualMachines',
    family: 'standardNCSv3Family',
    locationInfo: [{ location: 'eastus', zones: ['1', '2'] }],
    capabilities: expect.arrayContaining([
      { name: 'vCPUs', value: '12' },
      { name: 'MemoryGB', value: '224' },
      { name: 'GPUs', value: '2' },
      { name: 'CpuArchitectureType', value: 'x64' },
      { name: 'LowPriorityCapable', value: 'True' },
    ]),
    restrictions: [],
  });
  expect(byName.get('Standard_NV36ads_A10_v5')).toMatchObject({
    restrictions: [{ type: 'Location', reasonCode: 'NotAvailableForSubscription' }],
  });
  expect(byName.get('Standard_D64s_v5')).toMatchObject({
    restrictions: [{ type: 'Zone', restrictionInfo: { locations: ['eastus'], zones: ['3'] } }],
  });
  expect(byName.get('Standard_D2pds_v5')).toMatchObject({
    capabilities: expect.arrayContaining([{ name: 'CpuArchitectureType', value: 'Arm64' }]),
  });
});

test('a size that is sold out for all to see is restricted', async () => {
  const { byName } = await skus({
    faults: [
      {
        on: 'create',
        offering: { instanceType: 'Standard_D2s_v5', zone: 'eastus-2' },
        do: { kind: 'sold-out', listed: true },
      },
    ],
  });
  expect(byName.get('Standard_D2s_v5')).toMatchObject({
    restrictions: [{ type: 'Zone', restrictionInfo: { zones: ['2'] } }],
  });
});

test('usages count the cores of the pools that are there, spot ones apart', async () => {
  const { azure, aks, advance } = await standIn({ settings: { quota: { cores: 100 }, createSeconds: 1 } });
  await aks.agentPools.createOrUpdate('poolwright', 'aks-demo', 'one', gpuPool).submitted();
  await advance(1);
  await aks.agentPools
    .createOrUpdate('poolwright', 'aks-demo', 'two', { ...gpuPool, scaleSetPriority: 'Spot' })
    .submitted();
  const path = `/subscriptions/${azure.subscription}/providers/Microsoft.Compute/locations/eastus/usages`;
  const [rows = []] = await pages(azure, `${path}?api-version=2024-07-01`, 'value', 'nextLink');
  const used = Object.fromEntries(
    rows.map(({ name, currentValue, limit }) => [(name as Row).value, [currentValue, limit]]),
  );
  expect(used).toMatchObject({
    cores: [12, 100],
    lowPriorityCores: [12, 10_000],
    standardNCSv3Family: [12, 10_000],
    standardDSv5Family: [0, 10_000],
  });
});

test('prices come in pages, with many that nobody pays here among them', async () => {
  const { azure } = await standIn({ settings: { pageSize: 3 } });
  const filter = "armRegionName eq 'eastus' and armSkuName eq 'Standard_D2s_v5' and serviceName eq 'Virtual Machines'";
  const found = await pages(azure, `/api/retail/prices?$filter=${filter}`, 'Items', 'NextPageLink');
  expect(found).toHaveLength(2);
  const rows = found.flat().map(({ meterName, type, retailPrice }) => `${meterName} ${type} ${retailPrice}`);
  expect(rows).toContain('D2s v5 Consumption 0.096');
  expect(rows).toContain('D2s v5 Spot Consumption 0.0288');
  expect(rows.some((row) => row.includes('Reservation'))).toBe(true);
  expect(found.flat().some(({ productName }) => String(productName).endsWith('Windows'))).toBe(true);
  const consumed = await pages(
    azure,
    `/api/retail/prices?$filter=${filter} and priceType eq 'Consumption'`,
    'Items',
    'NextPageLink',
  );
  expect(new Set(consumed.flat().map(({ type }) => type))).toEqual(new Set(['Consumption']));
  expect((await rawClient(azure)('GET', '/api/retail/prices?$filter=nonsense')).status).toBe(400);
});

test('faults reach sizes, usages and prices', async () => {
  const { azure } = await standIn({ faults: [{ on: 'types', do: { kind: 'error', status: 503 } }] });
  const arm = rawClient(azure);
  const compute = `/subscriptions/${azure.subscription}/providers/Microsoft.Compute`;
  for (const path of [
    `${compute}/skus?api-version=2021-07-01`,
    `${compute}/locations/eastus/usages?api-version=2024-07-01`,
    '/api/retail/prices',
  ]) {
    expect((await arm('GET', path)).status).toBe(503);
  }
});

test('a cluster gives out its kubeconfig to those who may have it', async () => {
  const { aks, azure } = await standIn({ clusters: [{ kind: 'aks', name: 'own', kubeconfig: 'kind: Config' }] });
  const { kubeconfigs } = await aks.managedClusters.listClusterUserCredentials('poolwright', 'own');
  expect(Buffer.from(kubeconfigs?.[0]?.value ?? '').toString()).toBe('kind: Config');
  expect((await aks.managedClusters.listClusterAdminCredentials('poolwright', 'own')).kubeconfigs).toHaveLength(1);
  expect(await aks.managedClusters.get('poolwright', 'own')).toMatchObject({
    name: 'own',
    nodeResourceGroup: 'MC_poolwright_own_eastus',
  });
  expect(azure.calls()['clusters.credentials']).toBe(2);
});
