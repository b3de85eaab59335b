import { describe, expect, test } from 'vitest';
import { claimScopedName } from '../../nodes/claims/attempt/names.ts';
import { instanceIdOf } from '../instance-id.ts';
import { arcKind } from './kind.ts';

const place = { subscription: 's-1', resourceGroup: 'Edge' };

describe.each(['plain', 'edge-one', 'a-b-c-md-d'])('on the connected cluster %s', (clusterName) => {
  const kind = arcKind({ ...place, clusterName });

  test.each([
    ['of a machine', `moc://${clusterName}-1a2b3c4d-ws123-md-x7k2p-abcde`, 'ws123'],
    ['in another case', `MOC://${clusterName.toUpperCase()}-1A2B3C4D-WS123-MD-X7K2P-ABCDE`, 'ws123'],
    ["of somebody's pool with hyphens", `moc://${clusterName}-1a2b3c4d-my-ws123-md-x7k2p-abcde`, 'my-ws123'],
    ['that stands in until the Node is known', `azure://${kind.armId('ws123')}`, 'ws123'],
    ['of another cluster', 'moc://other-1a2b3c4d-ws123-md-x7k2p-abcde', undefined],
    ['of a control plane', `moc://${clusterName}-1a2b3c4d-control-plane-abcde`, undefined],
    ['with a path in it', `moc://${clusterName}-1a2b3c4d-../../x-md-x7k2p-abcde`, undefined],
    ['that is none', '', undefined],
  ])('a providerID %s', (_, providerID, expected) => {
    expect(instanceIdOf(kind, providerID)).toBe(expected);
  });

  test('a Node is known by the beginning and the end of its label', () => {
    const node = (label: string) => ({
      name: 'n',
      providerID: '',
      labels: { 'msft.microsoft/nodepool-name': label },
      createdAt: 0,
    });
    expect(kind.nodes.belongsTo(node(`${clusterName}-1a2b3c4d-ws123`), 'ws123')).toBe(true);
    expect(kind.nodes.belongsTo(node(`${clusterName}-1a2b3c4d-ws1234`), 'ws123')).toBe(false);
    expect(kind.nodes.belongsTo(node('other-1a2b3c4d-ws123'), 'ws123')).toBe(false);
    expect(kind.nodes.belongsTo({ ...node(''), labels: {} }, 'ws123')).toBe(false);
  });
});

test('a pool on Arc has a name of three characters at least', () => {
  const { names } = arcKind({ ...place, clusterName: 'edge' });
  expect(claimScopedName({ claimName: 'abc', uid: 'u-1' }, names)).toBe('abc');
  expect(claimScopedName({ claimName: 'ab', uid: 'u-1' }, names)).toMatch(/^[a-z][a-z0-9]{2,11}$/);
});
