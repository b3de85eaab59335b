/** What a check of AKS and Arc says about rights and limits: what only Azure has. */
import { afterEach, describe, expect, it } from 'vitest';
import { azureRoles } from '../../../infra/azure/rights.ts';
import { isAllowed, neededActions } from '../../../shared/providers/agent-pools/needed-actions.ts';
import { defaultPrincipal } from '../../../sim/azure/identity/tokens.ts';
import { type AzureHarness, startAzureHarness } from './azure-harness.ts';
import { anOwner, patience, value } from './requests.ts';

let harness: AzureHarness | undefined;
afterEach(() => harness?.close());

describe('the rights of an identity', () => {
  it.each(['aks', 'arc'] as const)('that %s needs are among those that are given', (kind) => {
    const given = azureRoles[kind]!.rights.map(({ action }) => action);
    for (const action of neededActions[kind]) expect(given).toContain(action);
  });

  it.each([
    ['*', [], true],
    ['Microsoft.ContainerService/*', [], true],
    ['microsoft.containerservice/managedclusters/agentpools/WRITE', [], true],
    ['Microsoft.ContainerService/*/write', [], true],
    ['*/read', [], false],
    ['Microsoft.ContainerService', [], false],
    ['*', ['Microsoft.ContainerService/managedClusters/agentPools/*'], false],
  ])('by %s, less %j', (action, notActions, allowed) => {
    const wanted = 'Microsoft.ContainerService/managedClusters/agentPools/write';
    expect(isAllowed(wanted, [{ actions: [action], notActions }])).toBe(allowed);
    // What one role takes back, another may give.
    expect(
      isAllowed(wanted, [
        { actions: [action], notActions },
        { actions: ['*'], notActions: [] },
      ]),
    ).toBe(true);
  });
});

describe.each(['aks', 'arc'] as const)('a check of %s', (kind) => {
  const check = async (...denied: string[]) => {
    harness = await startAzureHarness(kind, { principals: [{ ...defaultPrincipal, denied }] });
    return (await harness.provider.check?.(anOwner(), patience())) ?? [];
  };
  const wrong = async (...denied: string[]) => (await check(...denied)).filter(({ state }) => state === 'fail');

  it.each(neededActions[kind].map((action) => [action]))('names %s where it is missing', async (action) => {
    const found = await wrong(action);
    expect(found).toMatchObject([{ name: `right ${action}`, code: 'Unauthorized' }]);
    expect(found[0]?.message).toContain(harness?.cluster.id);
  });

  it('names the right to list pools where it is missing', async () => {
    const [read = ''] = neededActions[kind].map((action) => action.replace(/\w+$/, 'read'));
    expect(await wrong(read)).toMatchObject([{ name: 'agent pools', message: expect.stringContaining(read) }]);
  });

  it('says what was not tried where ARM does not tell, and finds nothing wrong with that', async () => {
    const checks = await check('Microsoft.Authorization/*');
    expect(checks.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(checks.find(({ name }) => name === 'rights')?.message).toMatch(/^not checked, .*agentPools\/delete$/);
  });

  it('tells app and tenant', async () => {
    const { clientId, tenant } = defaultPrincipal;
    const [who] = await check();
    expect(who).toMatchObject({ name: 'credentials', state: 'pass' });
    expect(who?.message).toMatch(new RegExp(`^app ${clientId}, object .+, tenant ${tenant}$`));
  });
});

it('the limits of AKS say which sizes count against them; Arc has none', async () => {
  harness = await startAzureHarness('aks');
  const limits = value(await harness.provider.quota!(patience()));
  const regional = limits.find(({ instanceTypes }) => instanceTypes === undefined);
  const family = limits.find(({ instanceTypes }) => instanceTypes?.includes(harness!.offering.instanceType));
  expect(regional).toMatchObject({ unit: 'vCPU', used: 0 });
  expect(family).toMatchObject({ unit: 'vCPU', used: 0 });
  await harness.close();

  harness = await startAzureHarness('arc');
  expect(value(await harness.provider.quota!(patience()))).toEqual([]);
});
