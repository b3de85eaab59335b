import { describe, expect, test } from 'vitest';
import { claimScopedName } from '../../nodes/claims/attempt/names.ts';
import { instanceIdOf } from '../instance-id.ts';
import { aksKind } from './kind.ts';

const kind = aksKind({ subscription: 's-1', resourceGroup: 'Gpu', clusterName: 'east-one', location: 'eastus' });
const machines = 'azure:///subscriptions/s-1/resourceGroups/MC_gpu/providers/Microsoft.Compute/virtualMachineScaleSets';

describe('a providerID of AKS', () => {
  test.each([
    ["of a scale set's machine", `${machines}/aks-ws123-12345678-vmss/virtualMachines/0`, 'ws123'],
    ['in another case', `${machines.toLowerCase()}/AKS-WS123-12345678-VMSS/virtualmachines/0`, 'ws123'],
    ['that stands in until the Node is known', `azure://${kind.armId('ws123')}`, 'ws123'],
    [
      'of a machine of Karpenter',
      machines.replace('virtualMachineScaleSets', 'virtualMachines/aks-ws123-a1b2c'),
      undefined,
    ],
    ['of another cluster', `azure://${kind.armId('ws123').replace('east-one', 'west')}`, undefined],
    ['of another scale set', `${machines}/mine-ws123-vmss/virtualMachines/0`, undefined],
    ['of no machine', `${machines}/aks-ws123-12345678-vmss`, undefined],
    ['of another cloud', 'aws:///eu-central-1a/i-0123', undefined],
    ['that is none', '', undefined],
  ])('%s', (_, providerID, expected) => {
    expect(instanceIdOf(kind, providerID)).toBe(expected);
  });
});

describe('a Node of AKS', () => {
  const node = (labels: Record<string, string>) => ({ name: 'n', providerID: '', labels, createdAt: 0 });

  test('needs both labels', () => {
    const both = { agentpool: 'a', 'kubernetes.azure.com/agentpool': 'a' };
    expect(kind.nodes.belongsTo(node(both), 'a')).toBe(true);
    expect(kind.nodes.belongsTo(node({ agentpool: 'a' }), 'a')).toBe(false);
    expect(kind.nodes.belongsTo(node({ ...both, agentpool: 'b' }), 'a')).toBe(false);
    expect(kind.nodes.ofPool('a')).toBe('agentpool=a,kubernetes.azure.com/agentpool=a');
  });
});

describe('the name of a pool', () => {
  const nameOf = (claimName: string) => claimScopedName({ claimName, uid: 'u-1' }, kind.names);

  test('is the name of the claim where AKS takes it', () => {
    for (const name of ['a', 'ws1234567890']) expect(nameOf(name)).toBe(name);
  });

  test.each(['ws12345678901', 'web-1', '1a', 'Web'])('is one that AKS takes where it does not take %s', (claimName) => {
    expect(nameOf(claimName)).toMatch(/^[a-z][a-z0-9]{0,11}$/);
    expect(nameOf(claimName)).toBe(nameOf(claimName));
  });
});
