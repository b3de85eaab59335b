import { expect, it } from 'vitest';
import { aPod } from '../../../../test/nodes/a-pod.ts';
import { attachedVolumes, stayingVolumeClaims } from './volumes.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const volumes = [
  { name: 'data', persistentVolumeClaim: { claimName: 'data-0' } },
  { name: 'scratch', ephemeral: {} },
  { name: 'config', configMap: { name: 'c' } },
];

it('the volumes of pods that stay are not waited for', () => {
  const staying = aPod('stays', { spec: { volumes, tolerations: [{ operator: 'Exists' }] } });
  expect(stayingVolumeClaims([staying, aPod('goes', { spec: { volumes } })], now)).toEqual([
    { namespace: 'default', name: 'data-0' },
    { namespace: 'default', name: 'stays-scratch' },
  ]);
});

it('only this node, only named volumes, and not those that stay', () => {
  const metadata = { name: 'va', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const attachment = (nodeName: string, persistentVolumeName?: string) => ({
    metadata,
    spec: { attacher: 'csi', nodeName, source: persistentVolumeName ? { persistentVolumeName } : {} },
  });
  const all = [attachment('n1', 'pv-b'), attachment('n1', 'pv-a'), attachment('n1'), attachment('n2', 'pv-c')];
  expect(attachedVolumes([...all, attachment('n1', 'pv-stays')], 'n1', new Set(['pv-stays']))).toEqual([
    'pv-a',
    'pv-b',
  ]);
});
