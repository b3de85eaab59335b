/** Cases that claims and the templates of pools have in common: `put` says where the fields stand. */
import type { Json } from '../../shared/base/json.ts';
import { accepted, type CreateCase, type Fields, refused } from './cases.ts';

const long = (length: number): string => 'a'.repeat(length);

export const minimalTemplate: Fields = {
  nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
  requirements: [],
};

export function templateCases(put: (template: Fields) => Json): CreateCase[] {
  const with_ = (fields: Fields): Json => put({ ...minimalTemplate, ...fields });
  const requirement = (...requirements: Json[]): Json => with_({ requirements });
  const ref = (fields: Fields): Json =>
    with_({ nodeClassRef: { ...(minimalTemplate.nodeClassRef as Fields), ...fields } });
  const taint = (fields: Fields): Json => with_({ taints: [{ key: 'team', effect: 'NoSchedule', ...fields }] });
  const without = (name: string): Json =>
    put(Object.fromEntries(Object.entries(minimalTemplate).filter(([field]) => field !== name)));

  return [
    accepted('nothing but a node class and no requirement', with_({})),
    refused('no node class', without('nodeClassRef'), 'Required value'),
    refused('no list of requirements', without('requirements'), 'Required value'),
    accepted('fields that nobody knows, which are dropped', with_({ color: 'red' })),

    accepted('a node class of another provider', ref({ group: 'karpenter.azure.com', kind: 'AKSNodeClass' })),
    accepted('a long name of a node class', ref({ name: long(400) })),
    refused('a node class without a group', ref({ group: '' }), 'at least 1 char'),
    refused('a group that is a path', ref({ group: 'karpenter.sh/v1' }), 'should match'),
    refused('a node class without a kind', ref({ kind: '' }), 'at least 1 char'),
    refused('a node class without a name', ref({ name: '' }), 'at least 1 char'),
    refused('a node class that is a text', with_({ nodeClassRef: 'default' }), 'must be of type object'),

    ...['In', 'NotIn'].map((operator) =>
      accepted(
        `${operator} with values`,
        requirement({ key: 'kubernetes.io/arch', operator, values: ['amd64', 'arm64'] }),
      ),
    ),
    ...['Exists', 'DoesNotExist', 'NotIn'].map((operator) =>
      accepted(`${operator} without values`, requirement({ key: 'example.com/team', operator })),
    ),
    accepted('Exists with values, which says nothing', requirement({ key: 'a', operator: 'Exists', values: ['b'] })),
    ...['Gt', 'Lt', 'Gte', 'Lte'].flatMap((operator) => [
      accepted(`${operator} with a number`, requirement({ key: 'example.com/cpu', operator, values: ['4'] })),
      accepted(`${operator} with a signed number`, requirement({ key: 'example.com/cpu', operator, values: ['+4'] })),
      refused(
        `${operator} without values`,
        requirement({ key: 'a', operator }),
        'exactly one non-negative whole number',
      ),
      refused(
        `${operator} with none`,
        requirement({ key: 'a', operator, values: [] }),
        'exactly one non-negative whole number',
      ),
      refused(
        `${operator} with two`,
        requirement({ key: 'a', operator, values: ['1', '2'] }),
        'exactly one non-negative whole',
      ),
      refused(
        `${operator} of a word`,
        requirement({ key: 'a', operator, values: ['four'] }),
        'exactly one non-negative whole',
      ),
      refused(
        `${operator} of a fraction`,
        requirement({ key: 'a', operator, values: ['1.5'] }),
        'exactly one non-negative whole',
      ),
      refused(
        `${operator} of less than 0`,
        requirement({ key: 'a', operator, values: ['-1'] }),
        'exactly one non-negative whole',
      ),
      refused(
        `${operator} of more than 64 bits`,
        requirement({ key: 'a', operator, values: ['9223372036854775808'] }),
        'exactly one non-negative whole',
      ),
    ]),
    accepted('a number written as minus zero', requirement({ key: 'a', operator: 'Gt', values: ['-0'] })),
    refused('In without values', requirement({ key: 'a', operator: 'In' }), 'needs at least one value'),
    refused('In with no value', requirement({ key: 'a', operator: 'In', values: [] }), 'needs at least one value'),
    accepted('In with an empty value', requirement({ key: 'a', operator: 'In', values: [''] })),
    accepted('a value longer than a label can be', requirement({ key: 'a', operator: 'In', values: [long(300)] })),
    accepted('a value that no label can have', requirement({ key: 'a', operator: 'In', values: ['a b/c!'] })),
    refused(
      'a value that is a number',
      requirement({ key: 'a', operator: 'In', values: [4] }),
      'must be of type string',
    ),
    refused('values that are a text', requirement({ key: 'a', operator: 'In', values: 'b' }), 'must be of type array'),
    refused('an unknown operator', requirement({ key: 'a', operator: 'Like', values: ['b'] }), 'supported values'),
    refused(
      'an operator in small letters',
      requirement({ key: 'a', operator: 'in', values: ['b'] }),
      'supported values',
    ),
    refused('no operator', requirement({ key: 'a', values: ['b'] }), 'Required value'),
    refused('no key', requirement({ operator: 'Exists' }), 'Required value'),
    refused('an empty key', requirement({ key: '', operator: 'Exists' }), 'should match'),
    refused('a key with a space', requirement({ key: 'a b', operator: 'Exists' }), 'should match'),
    refused('a key with two slashes', requirement({ key: 'a/b/c', operator: 'Exists' }), 'should match'),
    refused('a key that ends in a dash', requirement({ key: 'a-', operator: 'Exists' }), 'should match'),
    refused('a domain in capitals', requirement({ key: 'Example.com/a', operator: 'Exists' }), 'should match'),
    accepted('a key of 316 characters', requirement({ key: long(316), operator: 'Exists' })),
    refused('a key of 317 characters', requirement({ key: long(317), operator: 'Exists' }), 'may not be more than 316'),
    accepted(
      'requirements that contradict each other',
      requirement({ key: 'a', operator: 'In', values: ['b'] }, { key: 'a', operator: 'NotIn', values: ['b'] }),
    ),
    accepted('100 requirements', requirement(...Array.from({ length: 100 }, () => ({ key: 'a', operator: 'Exists' })))),
    refused(
      '101 requirements',
      requirement(...Array.from({ length: 101 }, () => ({ key: 'a', operator: 'Exists' }))),
      'must have at most 100 items',
    ),
    accepted(
      '100 requirements of 600 values each',
      requirement(
        ...Array.from({ length: 100 }, (_, one) => ({
          key: `a${one}`,
          operator: 'In',
          values: Array.from({ length: 600 }, (_, value) => `type-${value}`),
        })),
      ),
    ),

    accepted('the capacity type', requirement({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] })),
    accepted('a label of kubernetes.io', requirement({ key: 'node.kubernetes.io/own', operator: 'Exists' })),
    accepted(
      'a domain that begins with karpenter.sh',
      requirement({ key: 'karpenter.sh.example.com/a', operator: 'Exists' }),
    ),
    refused(
      'another label of karpenter.sh',
      requirement({ key: 'karpenter.sh/a', operator: 'Exists' }),
      'domain karpenter.sh',
    ),
    refused(
      'a label below karpenter.sh',
      requirement({ key: 'x.karpenter.sh/a', operator: 'Exists' }),
      'domain karpenter.sh',
    ),
    refused(
      'a domain that ends in karpenter.sh',
      requirement({ key: 'notkarpenter.sh/a', operator: 'Exists' }),
      'domain karpenter.sh',
    ),
    refused(
      'karpenter.sh as a plain key',
      requirement({ key: 'karpenter.sh', operator: 'Exists' }),
      'domain karpenter.sh',
    ),
    refused(
      'the host name',
      requirement({ key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] }),
      'differs from node to node',
    ),

    accepted(
      'minValues within the values',
      requirement({ key: 'a', operator: 'In', values: ['b', 'c'], minValues: 2 }),
    ),
    accepted(
      'minValues with equal values',
      requirement({ key: 'a', operator: 'In', values: ['b', 'b'], minValues: 2 }),
    ),
    accepted('minValues with Exists', requirement({ key: 'a', operator: 'Exists', minValues: 50 })),
    accepted('minValues with NotIn', requirement({ key: 'a', operator: 'NotIn', values: ['b'], minValues: 3 })),
    refused(
      'minValues beyond the values',
      requirement({ key: 'a', operator: 'In', values: ['b'], minValues: 2 }),
      'at least that many values',
    ),
    refused(
      'minValues of 0',
      requirement({ key: 'a', operator: 'Exists', minValues: 0 }),
      'greater than or equal to 1',
    ),
    refused(
      'minValues of 51',
      requirement({ key: 'a', operator: 'Exists', minValues: 51 }),
      'less than or equal to 50',
    ),
    refused(
      'minValues of 1.5',
      requirement({ key: 'a', operator: 'Exists', minValues: 1.5 }),
      'must be of type integer',
    ),

    ...['NoSchedule', 'PreferNoSchedule', 'NoExecute'].map((effect) =>
      accepted(`a taint ${effect}`, taint({ effect })),
    ),
    accepted('a taint with a value and a time', taint({ value: 'blue', timeAdded: '2026-01-31T12:00:00Z' })),
    accepted('a taint whose value looks like a key', taint({ value: 'example.com/blue' })),
    accepted('a long taint', taint({ key: long(500), value: long(500) })),
    accepted(
      'one taint twice',
      with_({
        taints: [
          { key: 'a', effect: 'NoExecute' },
          { key: 'a', effect: 'NoExecute' },
        ],
      }),
    ),
    accepted('startup taints', with_({ startupTaints: [{ key: 'agent', value: 'missing', effect: 'NoExecute' }] })),
    refused('a taint with an empty value', taint({ value: '' }), 'should match'),
    refused('a taint with an unknown effect', taint({ effect: 'Never' }), 'supported values'),
    refused('a taint without an effect', with_({ taints: [{ key: 'a' }] }), 'Required value'),
    refused('a taint without a key', with_({ startupTaints: [{ effect: 'NoExecute' }] }), 'Required value'),
    refused('a taint with an empty key', taint({ key: '' }), 'at least 1 char'),
    refused('a taint with a time that is none', taint({ timeAdded: 'now' }), 'date-time'),

    ...['0s', '30s', '1h30m', '720h', '90m5s', '5s5h'].flatMap((text) => [
      accepted(`expireAfter ${text}`, with_({ expireAfter: text })),
      accepted(`terminationGracePeriod ${text}`, with_({ terminationGracePeriod: text })),
    ]),
    accepted('expireAfter Never', with_({ expireAfter: 'Never' })),
    refused('terminationGracePeriod Never', with_({ terminationGracePeriod: 'Never' }), 'should match'),
    ...['', '5', '1.5h', '-1h', '1d', '100ms', 'never', '1h '].flatMap((text) => [
      refused(`expireAfter ${JSON.stringify(text)}`, with_({ expireAfter: text }), 'should match'),
      refused(
        `terminationGracePeriod ${JSON.stringify(text)}`,
        with_({ terminationGracePeriod: text }),
        'should match',
      ),
    ]),
    refused('a duration that is a number', with_({ expireAfter: 3600 }), 'must be of type string'),
  ];
}
