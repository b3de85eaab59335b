import { expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import { resolve } from '../resolved/resolve.ts';
import { findingsAmong } from './together.ts';

const placed = (name: string, spec: { clusterName?: string; resourceGroup?: string } = {}, namespace = 'team-a') => ({
  where: `${namespace}.yaml`,
  resolved: resolve(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name, namespace },
      spec: { location: 'westeurope', ...spec },
    },
    builtInPoolTypes,
  ),
});
const found = (...requests: ReturnType<typeof placed>[]) =>
  findingsAmong(requests).map((findings) => findings.map(({ severity, field }) => `${severity} ${field}`));

it('requests with names of their own are fine', () => {
  expect(found(placed('a'), placed('b'), placed('a', {}, 'team-b'))).toEqual([[], [], []]);
});

it('one name, one cluster or one resource group for two is told to the second', () => {
  expect(found(placed('a'), placed('a'))).toEqual([[], ['error metadata.name']]);
  expect(found(placed('a', { clusterName: 'Shop' }), placed('b', { clusterName: 'shop' }))).toEqual([
    [],
    ['error spec.clusterName'],
  ]);
  expect(found(placed('a', { resourceGroup: 'rg' }), placed('b', { resourceGroup: 'RG' }))).toEqual([
    [],
    ['warning spec.resourceGroup'],
  ]);
});
