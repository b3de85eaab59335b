import { expect, test } from 'vitest';
import { parseRequirements } from '../spec/requirements.ts';
import { parseResources } from '../spec/resources.ts';
import type { Requirement, ResourceList } from '../spec/types.ts';
import { compileCatalog } from './catalog.ts';
import type { ChoiceInput } from './choice.ts';
import { type NearestChange, nearestChange } from './nearest-change.ts';
import type { InstanceType, Offering } from './offerings.ts';

const type = (name: string, cpu: string, more: ResourceList, offerings: Partial<Offering>[]): InstanceType => ({
  name,
  labels: { 'kubernetes.io/arch': name.startsWith('arm') ? 'arm64' : 'amd64' },
  capacity: { cpu, memory: '16Gi', ...more },
  offerings: offerings.map((one) => ({
    instanceType: name,
    zone: 'z1',
    capacityType: 'on-demand',
    price: undefined,
    available: true,
    ...one,
  })),
});

const catalog = compileCatalog([
  type('small', '2', {}, [{ price: 0.1 }, { zone: 'z2', price: 0.2 }, { price: 0.03, capacityType: 'spot' }]),
  type('large', '8', {}, [{ price: 0.4 }]),
  type('arm-large', '16', {}, [{ price: 0.3, zone: 'z3' }]),
  type('gpu-4x', '48', { 'nvidia.com/gpu': '4' }, [{ price: 14 }]),
]);

function change(wishes: Requirement[], requests: ResourceList = {}, more: Partial<ChoiceInput> = {}) {
  const requirements = parseRequirements(wishes);
  const resources = parseResources(requests);
  if (!requirements.ok || !resources.ok) throw new Error('bad test input');
  return nearestChange({ catalog, requirements: requirements.value, requests: resources.value, ...more });
}

const is = (key: string, ...values: string[]): Requirement => ({ key, operator: 'In', values });
const capacityType = 'karpenter.sh/capacity-type';
const zone = 'topology.kubernetes.io/zone';
const instanceType = 'node.kubernetes.io/instance-type';

test.each<[string, Requirement[], ResourceList, Partial<NearestChange>, string]>([
  [
    'a misspelled value',
    [is(capacityType, 'on_demand')],
    {},
    { kind: 'respell', to: 'on-demand', instanceType: 'small' },
    'write "on-demand" instead of "on_demand" in the requirement on karpenter.sh/capacity-type; then small in z1, on-demand, $0.1 per hour fits',
  ],
  [
    'a misspelled type, with what else is asked for',
    [is(instanceType, 'lagre'), is(zone, 'z1')],
    { cpu: '4' },
    { kind: 'respell', to: 'large' },
    'write "large" instead of "lagre" in the requirement on node.kubernetes.io/instance-type; then large in z1, on-demand, $0.4 per hour fits',
  ],
  [
    'a misspelled label',
    [is('karpenter.sh/capacitytype', 'on-demand')],
    {},
    { kind: 'rename', to: capacityType },
    'write karpenter.sh/capacity-type instead of karpenter.sh/capacitytype; then small in z1, on-demand, $0.1 per hour fits',
  ],
  [
    'a zone that has none of it',
    [is(zone, 'z2')],
    { cpu: '4' },
    { kind: 'allow', key: zone, to: 'z3' },
    'allow "z3" for topology.kubernetes.io/zone, which is currently In [z2]; then arm-large in z3, on-demand, $0.3 per hour fits',
  ],
  [
    'spot that nobody sells in that size',
    [is(capacityType, 'spot')],
    { cpu: '8' },
    { kind: 'allow', to: 'on-demand', instanceType: 'arm-large' },
    'allow "on-demand" for karpenter.sh/capacity-type, which is currently In [spot]; then arm-large in z3, on-demand, $0.3 per hour fits',
  ],
  [
    'more devices than any machine has',
    [],
    { 'nvidia.com/gpu': '8' },
    { kind: 'request', from: '8', to: '4', pricePerHour: 14 },
    'lower the request for nvidia.com/gpu from 8 to 4; then gpu-4x in z1, on-demand, $14 per hour fits',
  ],
  [
    'a device that nobody sells',
    [],
    { 'amd.com/gpu': '1' },
    { kind: 'request', key: 'amd.com/gpu' },
    'drop the request for amd.com/gpu (1); then small in z1, spot, $0.03 per hour fits',
  ],
  [
    'requirements that contradict each other',
    [is(zone, 'z1'), is(zone, 'z2')],
    {},
    { kind: 'allow', key: zone },
    'drop one of the requirements on topology.kubernetes.io/zone, which contradict each other; then small in z1, spot, $0.03 per hour fits',
  ],
  [
    'too many values to choose from',
    [{ key: zone, operator: 'Exists', minValues: 4 }],
    {},
    { kind: 'min-values', key: zone },
    'drop minValues (4) of the requirement on topology.kubernetes.io/zone; then small in z1, spot, $0.03 per hour fits',
  ],
])('%s is named, and what would be got', (_, wishes, requests, expected, text) => {
  const found = change(wishes, requests);

  expect(found).toMatchObject({ ...expected, available: true });
  expect(found?.text).toBe(text);
});

test('whoever asked for something lasting is not sent to spot', () => {
  expect(change([is(capacityType, 'reserved')], {})?.to).toBe('on-demand');
});

test('where everything that fits is sold out, what can be had now is proposed', () => {
  const isUnavailable = ({ zone }: Offering) => (zone === 'z1' ? { until: 1 } : undefined);
  expect(change([is(zone, 'z1')], {}, { isUnavailable })).toMatchObject({ to: 'z2', available: true });
});

test('spot is the last resort of those who did not ask for it', () => {
  const notSpot: Requirement = { key: capacityType, operator: 'NotIn', values: ['spot'] };
  const small = is(instanceType, 'small');
  const inZone1 = ({ zone, capacityType }: Offering) =>
    zone === 'z1' && capacityType === 'on-demand' ? { until: 1 } : undefined;
  expect(change([notSpot, small, is(zone, 'z1')], {}, { isUnavailable: inZone1 })).toMatchObject({ to: 'z2' });
  const onDemand = ({ capacityType }: Offering) => (capacityType === 'on-demand' ? { until: 1 } : undefined);
  const last = change([notSpot, small, is(zone, 'z1')], {}, { isUnavailable: onDemand });
  expect(last?.text).toBe('allow "spot" for karpenter.sh/capacity-type; then small in z1, spot, $0.03 per hour fits');
});

test('what would fit but is sold out as well is said to be', () => {
  const found = change([is(instanceType, 'lagre')], {}, { isUnavailable: () => ({}) });
  expect(found).toMatchObject({ available: false, to: 'large' });
  expect(found?.text).toContain('but is out of capacity now');
});

test('what can be had needs no change, and where no single one helps none is named', () => {
  expect(change([])).toBeUndefined();
  expect(change([is('kubernetes.io/arch', 'riscv'), is(zone, 'elsewhere')], { cpu: '1000' })).toBeUndefined();
});

test('a hundred wishes against thousands of types take a moment only', () => {
  const many = compileCatalog(
    Array.from({ length: 3000 }, (_, index) => type(`t${index}`, String(index % 64), {}, [{ price: index }, {}])),
  );
  const wishes = Array.from({ length: 100 }, (_, index) => is(`kubernetes.io/x${index}`, 'y'));
  const started = performance.now();
  expect(change(wishes, { cpu: '1000' }, { catalog: many })).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(20_000);
});
