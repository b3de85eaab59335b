import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../../base/defined.ts';
import type { Problem } from '../../../base/problems.ts';
import type { NameLimits } from './name-limits.ts';
import { validateClaim } from './validate-claim.ts';

const nodeClasses = [{ group: 'poolwright.dev', kind: 'SimNodeClass' }];
const claim = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'a', uid: 'u', ...metadata },
  spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [], ...spec },
});
const requirement = (...requirements: unknown[]) => claim({ requirements });
const ref = (fields: object) =>
  claim({ nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default', ...fields } });

test.each<[string, object]>([
  ['a plain claim', claim()],
  [
    'a claim with everything',
    claim({
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'], minValues: 2 },
        { key: 'example.com/cpu', operator: 'Gt', values: ['3'] },
        { key: 'example.com/cpu', operator: 'Lte', values: ['8'] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
        { key: 'karpenter.sh/nodepool', operator: 'In', values: ['default'] },
      ],
      resources: { requests: { cpu: 2, memory: '4Gi' } },
      taints: [{ key: 'team', value: 'blue', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'team', effect: 'NoExecute', timeAdded: null }],
      expireAfter: 'Never',
      terminationGracePeriod: '1h30m',
    }),
  ],
  ['a claim that is not stored yet', { ...claim(), metadata: { generateName: 'pool-' } }],
  ['a claim from before v1, without a group', ref({ group: '' })],
  [
    'a claim of another provisioner, however strange',
    ref({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: '' }),
  ],
  [
    'an exclusion of everything but one number',
    requirement(
      { key: 'a', operator: 'Gt', values: ['3'] },
      { key: 'a', operator: 'Lt', values: ['6'] },
      { key: 'a', operator: 'NotIn', values: ['4', '04'] },
    ),
  ],
])('%s has no problem', (_, input) => {
  expect(validateClaim(input, { nodeClasses })).toEqual([]);
});

describe('says where, what is wrong and what to do', () => {
  test.each<[string, unknown, string, RegExp]>([
    [
      'an unknown operator',
      requirement({ key: 'a', operator: 'Inn', values: ['b'] }),
      'spec.requirements[0].operator',
      /"Inn" is not an operator; use one of In, .*did you mean "In"/,
    ],
    [
      'a bound without a number',
      requirement({ key: 'a', operator: 'Gt', values: ['four'] }),
      'spec.requirements[0].values',
      /needs exactly one non-negative whole number/,
    ],
    [
      'a restricted key',
      requirement({ key: 'karpenter.sh/capacity-typ', operator: 'Exists' }),
      'spec.requirements[0].key',
      /set by the provisioner.*did you mean "karpenter.sh\/capacity-type"/,
    ],
    [
      'the host name',
      requirement({ key: 'kubernetes.io/hostname', operator: 'Exists' }),
      'spec.requirements[0].key',
      /use a zone/,
    ],
    [
      'an unknown capacity type',
      requirement({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['Spot'] }),
      'spec.requirements[0].values',
      /did you mean "spot"/,
    ],
    [
      'a bad quantity',
      claim({ resources: { requests: { memory: '4GB' } } }),
      'spec.resources.requests["memory"]',
      /"4GB" is not a quantity/,
    ],
    [
      'a negative quantity',
      claim({ resources: { requests: { cpu: '-1' } } }),
      'spec.resources.requests["cpu"]',
      /negative/,
    ],
    [
      'a quantity that is true',
      claim({ resources: { requests: { cpu: true } } }),
      'spec.resources.requests.cpu',
      /true is not a text or a number/,
    ],
    [
      'a taint with a wrong effect',
      claim({ taints: [{ key: 'a', effect: 'NoSchedul' }] }),
      'spec.taints[0].effect',
      /use one of .*did you mean "NoSchedule"/,
    ],
    [
      'a taint with a value that no Node takes',
      claim({ startupTaints: [{ key: 'a', value: 'b/c', effect: 'NoExecute' }] }),
      'spec.startupTaints[0].value',
      /not a value of a taint/,
    ],
    [
      'a taint with a bad key',
      claim({ taints: [{ key: 'a b', effect: 'NoExecute' }] }),
      'spec.taints[0].key',
      /not a key of a taint/,
    ],
    [
      'a taint twice',
      claim({
        taints: [
          { key: 'a', effect: 'NoExecute' },
          { key: 'a', value: 'b', effect: 'NoExecute' },
        ],
      }),
      'spec.taints[1]',
      /of spec.taints\[0\].*remove one/,
    ],
    [
      'a bad lifetime',
      claim({ expireAfter: '30 days' }),
      'spec.expireAfter',
      /not a duration; write for example 90s, 15m or 1h30m, or Never/,
    ],
    ['a bad grace period', claim({ terminationGracePeriod: 'Never' }), 'spec.terminationGracePeriod', /not a duration/],
    [
      'a bad deadline',
      claim({}, { annotations: { 'poolwright.dev/launch-deadline': 'soon' } }),
      'metadata.annotations["poolwright.dev/launch-deadline"]',
      /"soon" is not a duration/,
    ],
    [
      'a kind with a typing mistake',
      ref({ kind: 'SimNodeclas' }),
      'spec.nodeClassRef.kind',
      /there is no node class "SimNodeclas".*did you mean "SimNodeClass"/,
    ],
    [
      'a group with a typing mistake',
      ref({ group: 'poolwrite.dev' }),
      'spec.nodeClassRef.group',
      /did you mean "poolwright.dev"/,
    ],
    ['a node class without a name', ref({ name: '' }), 'spec.nodeClassRef.name', /set it to the name of a node class/],
    ['no node class', claim({ nodeClassRef: null }), 'spec.nodeClassRef', /is missing; it must be an object/],
    ['a requirement that is a text', requirement('amd64'), 'spec.requirements[0]', /"amd64" is not an object/],
    ['requirements that are no list', claim({ requirements: 'amd64' }), 'spec.requirements', /is not a list/],
    [
      'values that are numbers',
      requirement({ key: 'a', operator: 'In', values: [4] }),
      'spec.requirements[0].values[0]',
      /4 is not a text/,
    ],
    ['no spec', { metadata: { name: 'a', uid: 'u' } }, 'spec', /is missing/],
    ['nothing at all', undefined, '', /is missing/],
  ])('%s', (_, input, path, message) => {
    const suggestion = /did you mean "([^"]+)"/.exec(message.source.replaceAll('\\', ''))?.[1];
    expect(validateClaim(input, { nodeClasses })).toEqual([
      { path, message: expect.stringMatching(message), ...defined({ suggestion }) },
    ]);
  });

  test('all problems are told at once', () => {
    const problems = validateClaim(
      claim({
        requirements: [{ key: 'a', operator: 'Like' }, 5, { key: 'b', operator: 'Gt', values: [] }],
        expireAfter: 'x',
        taints: [{ key: 'a', effect: 'Never' }],
      }),
    );
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'spec.expireAfter',
      'spec.requirements[0].operator',
      'spec.requirements[1]',
      'spec.requirements[2].values',
      'spec.taints[0].effect',
    ]);
  });

  test('a name that its provider does not take, where machines are named after claims', () => {
    const names: NameLimits = { maxLength: 12, pattern: 'lower-alnum', firstLetter: true };
    const check = (name: string): Problem[] => validateClaim(claim({}, { name }), { names });

    expect(check('gpu1')).toEqual([]);
    for (const name of ['a-b', '1a', 'abcdefghijklm']) {
      expect(check(name)).toEqual([
        {
          path: 'metadata.name',
          message: `"${name}" cannot be the name of an instance at the provider; use at most 12 lowercase letters and digits, starting with a letter`,
        },
      ]);
    }
  });
});

describe('requirements that contradict each other', () => {
  const inA = { key: 'a', operator: 'In', values: ['x'] };
  test.each<[string, object[], RegExp]>([
    [
      'In and NotIn',
      [inA, { key: 'a', operator: 'NotIn', values: ['x'] }],
      /leaves no value for a: In \[x\] \(spec.requirements\[0\]\) and NotIn \[x\] \(spec.requirements\[1\]\) contradict each other; remove or change one/,
    ],
    ['two lists', [inA, { key: 'a', operator: 'In', values: ['y'] }], /leaves no value/],
    ['a list and absence', [inA, { key: 'a', operator: 'DoesNotExist' }], /In \[x\].*DoesNotExist/],
    [
      'presence and absence',
      [
        { key: 'a', operator: 'Exists' },
        { key: 'a', operator: 'DoesNotExist' },
      ],
      /leaves no value/,
    ],
    [
      'bounds that cross',
      [
        { key: 'a', operator: 'Gt', values: ['5'] },
        { key: 'a', operator: 'Lt', values: ['5'] },
      ],
      /Gte 6 .* Lte 4/,
    ],
    [
      'neighbors',
      [
        { key: 'a', operator: 'Gt', values: ['4'] },
        { key: 'a', operator: 'Lt', values: ['5'] },
      ],
      /leaves no value/,
    ],
    [
      'a bound and a list',
      [
        { key: 'a', operator: 'In', values: ['1', '2'] },
        { key: 'a', operator: 'Gte', values: ['3'] },
      ],
      /leaves no value/,
    ],
    [
      'two names of one label',
      [
        { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['x'] },
        { key: 'kubernetes.io/arch', operator: 'In', values: ['y'] },
      ],
      /for kubernetes.io\/arch/,
    ],
    [
      'minValues that can not be reached',
      [
        { key: 'a', operator: 'In', values: ['x', 'y'], minValues: 2 },
        { key: 'a', operator: 'NotIn', values: ['x'] },
      ],
      /leaves 1 of the 2 values \(minValues\)/,
    ],
  ])('%s', (_, requirements, message) => {
    expect(validateClaim(requirement(...requirements))).toEqual([
      { path: 'spec.requirements[1]', message: expect.stringMatching(message) },
    ]);
  });

  test('every whole number between the bounds is excluded', () => {
    const requirements = [
      { key: 'a', operator: 'Gte', values: ['4'] },
      { key: 'a', operator: 'Lte', values: ['5'] },
      { key: 'a', operator: 'NotIn', values: ['4', '5', '6'] },
    ];
    expect(validateClaim(requirement(...requirements))).toMatchObject([{ path: 'spec.requirements[2]' }]);
  });

  test('one label is complained about once', () => {
    const values = (value: string) => ({ key: 'a', operator: 'In', values: [value] });
    expect(validateClaim(requirement(values('x'), values('y'), values('z')))).toHaveLength(1);
  });
});

test('never throws, whatever it is given, and every problem says something', () => {
  const strange = fc.oneof(fc.jsonValue(), fc.constantFrom('In', 'Gt', 'NoExecute', '__proto__', '1h', null, -0));
  const anyClaim = fc.record({
    metadata: fc.oneof(strange, fc.record({ name: strange, annotations: strange })),
    spec: fc.oneof(
      strange,
      fc.record({
        nodeClassRef: fc.oneof(strange, fc.record({ group: strange, kind: strange, name: strange })),
        requirements: fc.array(fc.record({ key: strange, operator: strange, values: strange, minValues: strange })),
        resources: fc.oneof(strange, fc.record({ requests: fc.dictionary(fc.string(), strange) })),
        taints: fc.array(fc.oneof(strange, fc.record({ key: strange, value: strange, effect: strange }))),
        expireAfter: strange,
      }),
    ),
  });
  fc.assert(
    fc.property(fc.oneof(anyClaim, strange), (input) => {
      for (const { message } of validateClaim(input, { nodeClasses })) expect(message).not.toBe('');
    }),
  );
});
