import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRequirements } from '../spec/requirements.ts';
import { parseResources } from '../spec/resources.ts';
import type { Requirement, ResourceList } from '../spec/types.ts';
import type { CapacityType } from '../spec/well-known.ts';
import { compileCatalog } from './catalog.ts';
import type { Choice, ChoiceInput } from './choice.ts';
import { chooseOfferings } from './choose.ts';
import { type InstanceType, type Offering, offeringKey } from './offerings.ts';
import { longestSummary } from './summary.ts';

const instanceTypeKey = 'node.kubernetes.io/instance-type';
const zoneKey = 'topology.kubernetes.io/zone';
const capacityKey = 'karpenter.sh/capacity-type';

type Sold = Partial<Pick<Offering, 'available' | 'unavailableReason' | 'unavailableUntil'>>;

const offering = (zone: string, capacityType: CapacityType, price: number | undefined, more: Sold = {}) => ({
  zone,
  capacityType,
  price,
  available: true,
  ...more,
});

function machine(
  name: string,
  capacity: ResourceList,
  labels: Record<string, string>,
  offerings: Omit<Offering, 'instanceType'>[],
): InstanceType {
  return { name, labels, capacity, offerings: offerings.map((one) => ({ ...one, instanceType: name })) };
}

const amd = { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };
const small = machine('small', { cpu: '2', memory: '4Gi' }, { ...amd, 'sim.dev/family': 'general' }, [
  offering('z1', 'on-demand', 0.1),
  offering('z2', 'on-demand', 0.1),
  offering('z1', 'spot', 0.03),
]);
const large = machine(
  'large',
  { cpu: '8', memory: '32Gi' },
  { 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'linux', 'sim.dev/family': 'general' },
  [offering('z1', 'on-demand', 0.4), offering('z2', 'spot', 0.4)],
);
const gpu = machine(
  'gpu-1x',
  { cpu: '12', memory: '110Gi', 'nvidia.com/gpu': '1' },
  { ...amd, 'sim.dev/gpu-name': 'a100', 'sim.dev/gpu-memory': '80' },
  [offering('z1', 'on-demand', 3.5), offering('z1', 'spot', undefined)],
);
const gpus = machine(
  'gpu-4x',
  { cpu: '48', memory: '440Gi', 'nvidia.com/gpu': '4' },
  { ...amd, 'sim.dev/gpu-name': 'a100', 'sim.dev/gpu-memory': '320' },
  [offering('z2', 'on-demand', 14)],
);
const catalog = compileCatalog([small, large, gpu, gpus]);

function choose(wishes: Requirement[], requests: ResourceList = {}, more: Partial<ChoiceInput> = {}): Choice {
  const requirements = parseRequirements(wishes);
  const resources = parseResources(requests);
  if (!requirements.ok || !resources.ok) throw new Error('bad test input');
  return chooseOfferings({ catalog, requirements: requirements.value, requests: resources.value, ...more });
}

const keys = (offerings: readonly Offering[]): string[] => offerings.map(offeringKey);
const reasons = (choice: Choice): Record<string, string> =>
  Object.fromEntries(choice.rejections.map(({ instanceType, reason }) => [instanceType, reason]));

describe('the order of candidates', () => {
  test('is by price, spot before on-demand at the same price, then by name and zone, unknown prices last', () => {
    expect(keys(choose([]).candidates)).toEqual([
      'small/z1/spot',
      'small/z1/on-demand',
      'small/z2/on-demand',
      'large/z2/spot',
      'large/z1/on-demand',
      'gpu-1x/z1/on-demand',
      'gpu-4x/z2/on-demand',
      'gpu-1x/z1/spot',
    ]);
  });

  test('leaves spot out where it is not allowed', () => {
    const choice = choose([{ key: capacityKey, operator: 'In', values: ['on-demand'] }]);
    expect(choice.candidates.every(({ capacityType }) => capacityType === 'on-demand')).toBe(true);
    expect(choice.candidates).toHaveLength(5);
  });

  test('prefers the smaller machine when no price is known, and never shows such a price as a number', () => {
    const unpriced = [gpus, large, small].map((type) => ({
      ...type,
      offerings: type.offerings.map((one) => ({ ...one, price: Number.NaN, capacityType: 'on-demand' as const })),
    }));
    const choice = choose(
      [{ key: zoneKey, operator: 'In', values: ['z2'] }],
      {},
      { catalog: compileCatalog(unpriced) },
    );
    expect(choice.candidates.map(({ instanceType, price }) => [instanceType, price])).toEqual([
      ['small', undefined],
      ['large', undefined],
      ['gpu-4x', undefined],
    ]);
    expect(choice.summary).toContain('price unknown');
  });

  test('does not depend on the order in which the provider lists its types', () => {
    const types = [small, large, gpu, gpus];
    fc.assert(
      fc.property(fc.shuffledSubarray(types, { minLength: 4 }), (shuffled) => {
        const choice = choose([], {}, { catalog: compileCatalog(shuffled) });
        expect(keys(choice.candidates)).toEqual(keys(choose([]).candidates));
      }),
    );
  });
});

describe('every other type says why it was rejected', () => {
  test('by label, missing label, resource and zone', () => {
    const choice = choose(
      [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'sim.dev/gpu-name', operator: 'Exists' },
        { key: zoneKey, operator: 'In', values: ['z1'] },
      ],
      { 'nvidia.com/gpu': '1' },
    );
    expect(keys(choice.candidates)).toEqual(['gpu-1x/z1/on-demand', 'gpu-1x/z1/spot']);
    expect(reasons(choice)).toEqual({
      small: 'sim.dev/gpu-name is missing, wanted Exists; nvidia.com/gpu: 1 requested, 0 available',
      large:
        'kubernetes.io/arch is arm64, wanted In [amd64]; sim.dev/gpu-name is missing, wanted Exists; nvidia.com/gpu: 1 requested, 0 available',
      'gpu-4x': 'topology.kubernetes.io/zone is z2, wanted In [z1]',
    });
    expect(choice.rejections.map(({ kind, requirement }) => [kind, requirement])).toEqual([
      ['requirement', 'sim.dev/gpu-name'],
      ['requirement', 'kubernetes.io/arch'],
      ['requirement', zoneKey],
    ]);
    expect(choice.exclusions).toEqual([
      { kind: 'resource', key: 'nvidia.com/gpu', excluded: 2 },
      { kind: 'label', key: 'sim.dev/gpu-name', excluded: 2 },
      { kind: 'label', key: 'kubernetes.io/arch', excluded: 1 },
      { kind: 'label', key: zoneKey, excluded: 1 },
    ]);
  });

  test('by zone and capacity type together, where each alone would do', () => {
    const choice = choose([
      { key: instanceTypeKey, operator: 'In', values: ['large'] },
      { key: zoneKey, operator: 'In', values: ['z1'] },
      { key: capacityKey, operator: 'In', values: ['spot'] },
    ]);
    expect(reasons(choice).large).toBe('no zone offers the wanted capacity type (wanted In [z1] with In [spot])');
  });

  test('bounds exclude types whose value is no number or out of range', () => {
    const choice = choose([{ key: 'sim.dev/gpu-memory', operator: 'Gt', values: ['80'] }]);
    expect(keys(choice.candidates)).toEqual(['gpu-4x/z2/on-demand']);
  });

  test('each type is either among the candidates or rejected, never both', () => {
    const wish = fc.record({
      key: fc.constantFrom(instanceTypeKey, zoneKey, capacityKey, 'kubernetes.io/arch', 'sim.dev/gpu-name', 'team'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(fc.constantFrom('small', 'gpu-1x', 'z1', 'z2', 'spot', 'on-demand', 'amd64', 'a100'), {
        minLength: 1,
      }),
    });
    const marked = fc.subarray(keys(choose([]).candidates));
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 3 }), fc.nat({ max: 20 }), marked, (wishes, cpu, soldOut) => {
        const choice = choose(wishes, { cpu }, { isUnavailable: (_, key) => (soldOut.includes(key) ? {} : undefined) });
        const chosen = new Set(choice.candidates.map(({ instanceType }) => instanceType));
        const rejected = choice.rejections.map(({ instanceType }) => instanceType);
        expect([...chosen, ...rejected].sort()).toEqual(['gpu-1x', 'gpu-4x', 'large', 'small']);
        expect(choice.outcome === 'available').toBe(choice.candidates.length > 0);
        expect(choice.outcome === 'impossible').toBe(choice.candidates.length + choice.soldOut.length === 0);
        expect(choice.summary.length).toBeLessThanOrEqual(longestSummary);
      }),
    );
  });
});

describe('labels that hang on where a machine is bought', () => {
  const zoneId = 'topology.k8s.aws/zone-id';
  const placed = machine('placed', { cpu: '2' }, amd, [
    { ...offering('z1', 'on-demand', 0.1), labels: { [zoneId]: 'id-1' } },
    { ...offering('z2', 'on-demand', 0.2), labels: { [zoneId]: 'id-2' } },
    { ...offering('z2', 'spot', 0.05), labels: { [zoneId]: 'id-2' } },
  ]);
  const chooseWith = (...requirements: Requirement[]) => {
    const parsed = parseRequirements(requirements);
    if (!parsed.ok) expect.fail('requirements should be fine');
    return chooseOfferings({ catalog: compileCatalog([placed, small]), requirements: parsed.value });
  };
  const among = (key: string, ...values: string[]): Requirement => ({ key, operator: 'In', values });

  test('leave the offerings that have them', () => {
    const { candidates } = chooseWith(among(zoneId, 'id-2'), among(instanceTypeKey, 'placed'));
    expect(candidates.map(({ zone, capacityType }) => `${zone} ${capacityType}`)).toEqual(['z2 spot', 'z2 on-demand']);
  });

  test('are said with what there is, also of a type that has none', () => {
    const { outcome, rejections } = chooseWith(among(zoneId, 'id-9'));
    expect(outcome).toBe('impossible');
    expect(rejections.map(({ reason }) => reason)).toEqual([
      `${zoneId} is id-1, id-2, wanted In [id-9]`,
      `${zoneId} is none, wanted In [id-9]`,
    ]);
  });

  test('may contradict the zone', () => {
    const { outcome, rejections } = chooseWith(among(zoneId, 'id-1'), among(zoneKey, 'z2'), among(capacityKey, 'spot'));
    expect(outcome).toBe('impossible');
    expect(rejections[0]?.reason).toBe(
      'no single offering has all of it (wanted In [z2] with In [id-1] with In [spot])',
    );
  });

  test('are none that an object has by itself', () => {
    expect(chooseWith(among('constructor', 'x')).outcome).toBe('available');
  });
});

describe('labels that no type has', () => {
  test("are fine when they are the user's own, or must not be there", () => {
    const own: Requirement[] = [
      { key: 'team', operator: 'In', values: ['red'] },
      { key: 'kaito.sh/workspace', operator: 'Exists' },
      { key: 'karpenter.sh/nodepool', operator: 'In', values: ['kaito'] },
      { key: 'node.kubernetes.io/windows-build', operator: 'DoesNotExist' },
    ];
    expect(choose(own).outcome).toBe('available');
  });

  test.each([
    ['sim.dev/gpu-nmae', /did you mean "sim.dev\/gpu-name"/],
    ['topology.kubernetes.io/zome', /did you mean "topology.kubernetes.io\/zone"/],
    ['kubernetes.io/hostname', /no instance type has this label/],
  ])('are a mistake in a domain that belongs to the provider or Kubernetes: %s', (key, summary) => {
    const choice = choose([{ key, operator: 'Exists' }]);
    expect(choice.outcome).toBe('impossible');
    expect(choice.summary).toMatch(summary);
  });
});

describe('sold out', () => {
  const noon = Date.UTC(2026, 0, 1, 12);
  const marks = new Map([
    ['gpu-1x/z1/on-demand', { reason: 'no capacity', until: noon + 180_000 }],
    ['gpu-1x/z1/spot', { until: noon + 60_000 }],
  ]);
  const isUnavailable = (_: Offering, key: string) => marks.get(key);
  const wantsGpu: Requirement[] = [{ key: instanceTypeKey, operator: 'In', values: ['gpu-1x'] }];

  test('is not impossible: it says what would do, and when it may be back', () => {
    const choice = choose(wantsGpu, {}, { isUnavailable });
    expect(choice).toMatchObject({ outcome: 'sold-out', candidates: [], retryAt: noon + 60_000 });
    expect(keys(choice.soldOut)).toEqual(['gpu-1x/z1/spot', 'gpu-1x/z1/on-demand']);
    expect(choice.rejections.find(({ instanceType }) => instanceType === 'gpu-1x')).toEqual({
      instanceType: 'gpu-1x',
      kind: 'sold-out',
      reason: 'out of capacity until 2026-01-01T12:01:00.000Z',
      until: noon + 60_000,
    });
    expect(choice.summary).toBe(
      '1 of 4 instance types fit but are unavailable now: gpu-1x in z1, on-demand, $3.5 per hour, out of capacity until 2026-01-01T12:03:00.000Z (no capacity); gpu-1x in z1, spot, price unknown, out of capacity until 2026-01-01T12:01:00.000Z',
    );
  });

  test('by word of the provider counts like our own mark, and the later end of both counts', () => {
    const until = noon + 600_000;
    const sold = {
      ...gpus,
      offerings: gpus.offerings.map((one) => ({
        ...one,
        available: false,
        unavailableReason: 'closed',
        unavailableUntil: until,
      })),
    };
    const choice = choose([], {}, { catalog: compileCatalog([sold]), isUnavailable: () => ({ until: noon }) });
    expect(choice).toMatchObject({
      outcome: 'sold-out',
      soldOut: [{ unavailableReason: 'closed', unavailableUntil: until }],
    });
  });

  test('by word of the provider alone is enough', () => {
    const sold = {
      ...gpu,
      offerings: gpu.offerings.map((one) => ({ ...one, available: one.capacityType === 'spot' })),
    };
    const choice = choose([], {}, { catalog: compileCatalog([sold]) });
    expect(keys(choice.candidates)).toEqual(['gpu-1x/z1/spot']);
    expect(keys(choice.soldOut)).toEqual(['gpu-1x/z1/on-demand']);
  });

  test('passes only the marked offering over', () => {
    const choice = choose([], {}, { isUnavailable: (one) => (one.capacityType === 'spot' ? {} : undefined) });
    expect(choice.outcome).toBe('available');
    expect(keys(choice.candidates)[0]).toBe('small/z1/on-demand');
    expect(choice.soldOut).toHaveLength(3);
    expect(choice.rejections).toEqual([]);
  });
});

describe('minValues', () => {
  const three: Requirement[] = [
    { key: instanceTypeKey, operator: 'Exists', minValues: 3 },
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  ];

  test('is met by enough different values', () => {
    expect(choose(three).outcome).toBe('available');
  });

  test('that can not be reached makes the claim impossible, and every type says so', () => {
    const choice = choose(three, { cpu: '10' });
    expect(choice).toMatchObject({ outcome: 'impossible', candidates: [] });
    expect(
      choice.rejections.filter(({ kind }) => kind === 'min-values').map(({ instanceType }) => instanceType),
    ).toEqual(['gpu-1x', 'gpu-4x']);
    expect(choice.summary).toContain(`${instanceTypeKey} needs at least 3 values (minValues), but only 2 fit`);
  });

  test('that is only missed because of what is sold out is worth waiting for', () => {
    const choice = choose(
      three,
      {},
      { isUnavailable: ({ instanceType }) => (instanceType === 'small' ? {} : undefined) },
    );
    expect(choice.outcome).toBe('sold-out');
  });

  test('can be relaxed', () => {
    const choice = choose(three, { cpu: '10' }, { minValuesPolicy: 'BestEffort' });
    expect(choice).toMatchObject({ outcome: 'available', minValuesRelaxed: true });
    expect(choose(three, {}, { minValuesPolicy: 'BestEffort' }).minValuesRelaxed).toBe(false);
  });

  test('counts zones and capacity types as offered', () => {
    expect(choose([{ key: zoneKey, operator: 'Exists', minValues: 2 }]).outcome).toBe('available');
    expect(choose([{ key: zoneKey, operator: 'Exists', minValues: 3 }]).outcome).toBe('impossible');
    expect(choose([{ key: 'team', operator: 'In', values: ['a', 'b'], minValues: 2 }]).outcome).toBe('available');
  });
});

describe('the summary of what is impossible', () => {
  test.each<[string, Requirement[], ResourceList, string]>([
    [
      'names the nearest instance type',
      [{ key: instanceTypeKey, operator: 'In', values: ['gpu-1y'] }],
      {},
      'No instance type fits: node.kubernetes.io/instance-type In [gpu-1y] excludes 4 of 4 (the closest to "gpu-1y" is "gpu-1x")',
    ],
    [
      'names the most there is of a resource',
      [],
      { 'nvidia.com/gpu': 8 },
      'No instance type fits: the request nvidia.com/gpu 8 excludes 4 of 4 (the maximum is 4, on gpu-4x)',
    ],
    [
      'names the nearest resource',
      [],
      { 'nvidia.com/gpus': 1 },
      'No instance type fits: the request nvidia.com/gpus 1 excludes 4 of 4 (no instance type has it; did you mean "nvidia.com/gpu"?)',
    ],
    [
      'names what there is of a label',
      [{ key: 'kubernetes.io/arch', operator: 'In', values: ['s390x'] }],
      {},
      'No instance type fits: kubernetes.io/arch In [s390x] excludes 4 of 4 (available: amd64, arm64)',
    ],
    [
      'names the range of a number',
      [{ key: 'sim.dev/gpu-memory', operator: 'Gte', values: ['1000'] }],
      {},
      'No instance type fits: sim.dev/gpu-memory Gte 1000 excludes 4 of 4 (available: 80 to 320)',
    ],
    [
      'names the nearest type when several wishes exclude each other',
      [{ key: instanceTypeKey, operator: 'In', values: ['small'] }],
      { cpu: 8, 'nvidia.com/gpu': 1 },
      'No instance type fits: node.kubernetes.io/instance-type In [small] excludes 3 of 4; the request nvidia.com/gpu 1 excludes 2 of 4 (the maximum is 4, on gpu-4x); the request cpu 8 excludes 1 of 4 (the maximum is 48, on gpu-4x). The closest is gpu-1x: node.kubernetes.io/instance-type is gpu-1x, wanted In [small]',
    ],
  ])('%s', (_, wishes, requests, summary) => {
    expect(choose(wishes, requests)).toMatchObject({ outcome: 'impossible', summary });
  });

  test.each(['team', 'kubernetes.io/arch', zoneKey])(
    'says that the requirements on %s contradict each other',
    (key) => {
      const choice = choose([
        { key, operator: 'In', values: ['a'] },
        { key, operator: 'In', values: ['b'] },
      ]);
      expect(choice).toMatchObject({
        outcome: 'impossible',
        summary: `No instance type fits: ${key} In [] excludes 4 of 4 (the requirements on it contradict each other)`,
      });
    },
  );

  test('says so when there is nothing to choose from', () => {
    const choice = choose([], {}, { catalog: compileCatalog([]) });
    expect(choice).toMatchObject({
      outcome: 'impossible',
      rejections: [],
      summary: 'The provider has no instance types',
    });
  });

  test('stays short with a hundred wishes', () => {
    const wishes = Array.from({ length: 100 }, (_, index) => ({
      key: `sim.dev/${'k'.repeat(50)}${index}`,
      operator: 'Exists',
    }));
    const choice = choose(wishes);
    expect(choice.summary.length).toBeLessThanOrEqual(longestSummary);
    expect(choice.rejections.every(({ reason }) => reason.length <= 300)).toBe(true);
  });
});

test('the size of a disk is no property of a type', () => {
  expect(choose([], { storage: '120Gi' }).outcome).toBe('available');
});

describe('a catalog', () => {
  test('leaves out what the provider reported wrongly, and says so', () => {
    const broken = compileCatalog([small, { ...large, capacity: { cpu: 'many' } }, small]);
    expect(broken.types.map(({ name }) => name)).toEqual(['small']);
    expect(broken.problems.map(({ path }) => path)).toEqual([
      'instanceTypes[1].allocatable["cpu"]',
      'instanceTypes[2].name',
    ]);
  });

  test('judges a type by what it leaves for pods', () => {
    const tight = compileCatalog([{ ...small, allocatable: { cpu: '1900m', memory: '3Gi' } }]);
    expect(choose([], { cpu: '2' }, { catalog: tight }).outcome).toBe('impossible');
    expect(choose([], { cpu: '1900m' }, { catalog: tight }).outcome).toBe('available');
  });

  test('knows types without zones, which only a wish for a zone excludes', () => {
    const regional = compileCatalog([
      { ...small, offerings: [{ instanceType: 'small', ...offering('', 'on-demand', 1) }] },
    ]);
    expect(choose([], {}, { catalog: regional }).outcome).toBe('available');
    expect(choose([{ key: zoneKey, operator: 'NotIn', values: ['z1'] }], {}, { catalog: regional }).outcome).toBe(
      'available',
    );
    expect(choose([{ key: zoneKey, operator: 'In', values: ['z1'] }], {}, { catalog: regional }).outcome).toBe(
      'impossible',
    );
  });

  test('a type that is offered nowhere is rejected', () => {
    const nowhere = compileCatalog([{ ...small, offerings: [] }]);
    expect(reasons(choose([], {}, { catalog: nowhere }))).toEqual({ small: 'no zone offers it' });
  });
});
