import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defined } from '../base/defined.ts';
import type { Condition } from '../base/kubernetes/object.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { type Diagnosis, type DiagnosisFacts, diagnose } from './diagnosis.ts';
import { duration } from './diagnosis-words.ts';

const now = Date.parse('2026-03-04T12:00:00Z');

const condition = (type: string, status: Condition['status'], reason: string, message = ''): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-03-04T11:58:00Z',
});

interface Wishes {
  conditions?: Condition[];
  deleting?: boolean;
  nodeName?: string;
  record?: object;
  labels?: Record<string, string>;
}

const aClaim = ({ conditions = [], deleting, nodeName, record, labels = {} }: Wishes = {}): NodeClaim => ({
  metadata: {
    name: 'web',
    uid: 'u-1',
    creationTimestamp: '2026-03-04T11:50:00Z',
    labels,
    annotations: record === undefined ? {} : { 'poolwright.dev/attempt': JSON.stringify(record) },
    ...(deleting ? { deletionTimestamp: '2026-03-04T11:57:00Z' } : {}),
  },
  spec: { nodeClassRef: { group: 'g', kind: 'k', name: 'n' }, requirements: [] },
  status: { conditions, ...defined({ nodeName }) },
});

const facts = (more: Partial<DiagnosisFacts> = {}): DiagnosisFacts => ({
  now,
  cluster: 'east',
  claim: aClaim(),
  isGone: false,
  events: [],
  decisions: [],
  workflows: [],
  standing: { acts: true },
  pauses: [],
  deadLetters: [],
  isHostKnown: true,
  explained: (code) => (code === 'Launching' ? undefined : { cause: `cause of ${code}.`, cure: `Cure of ${code}.` }),
  ...more,
});

const record = {
  uid: 'u-1',
  attempt: 2,
  provider: 'sim',
  offering: { instanceType: 'small', zone: 'z1', capacityType: 'spot' },
  rights: 1,
  holder: 'h',
};
const failedRecord = { ...record, state: 'failed', retryAt: now + 60_000, failures: 1 };
const launched = condition('Launched', 'True', 'Launched');
const ready = [launched, ...['Registered', 'Initialized', 'Ready'].map((type) => condition(type, 'True', type))];
const launch = { id: 'east/u-1/launch/1', workflow: 'launch', startedAt: now - 5000 };

const leftAlone = {
  at: now,
  step: 'take over',
  code: 'left-alone',
  fields: { providerID: 'x' },
  text: 'it was launched by another; it is left alone',
};
const drained = aClaim({ deleting: true, conditions: [condition('Drained', 'Unknown', 'Draining', '1 pod')] });
const draining = (...heldBy: string[]) => ({
  at: now,
  step: 'drain',
  code: 'draining',
  fields: { heldBy, held: [{ pod: 'shop/web', budget: 'shop/guard' }] },
  text: 'it drains',
});
const told = (reason: string, at: number) => ({ type: 'Warning', reason, message: 'held', at });
const wrong = aClaim({ conditions: [condition('Launched', 'False', 'InvalidClaim', 'spoot is no capacity type')] });
const misspelled: NodeClaim = {
  ...wrong,
  spec: {
    ...wrong.spec,
    requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spoot'] }],
  },
};

const notLaunched = (reason: string, message = 'words'): Partial<DiagnosisFacts> => ({
  claim: aClaim({ conditions: [condition('Launched', 'False', reason, message)], record: failedRecord }),
});

test.each<[string, Partial<DiagnosisFacts>, Partial<Diagnosis>]>([
  ['gone', { claim: undefined, isGone: true }, { state: 'gone' }],
  ['unreadable', { claim: undefined }, { state: 'unknown', code: 'ClusterUnavailable' }],
  ['ready', { claim: aClaim({ conditions: ready, nodeName: 'n1' }) }, { well: true, cure: 'none needed' }],
  [
    'ready without its node',
    { claim: aClaim({ conditions: ready, nodeName: 'n1' }), node: 'missing' },
    { code: 'NodeNotFound' },
  ],
  [
    'ready with a node that is not',
    { claim: aClaim({ conditions: ready, nodeName: 'n1' }), node: { ready: false, why: 'no network' } },
    { code: 'NodeNotReady', cause: 'the claim is ready, but its node n1 is no longer ready: no network' },
  ],
  ['not served', { ours: false }, { cause: expect.stringContaining('no configured provider serves the claim') }],
  [
    'only read',
    { standing: { acts: false, reason: 'NotOwner', who: 'blue', why: 'blue acts' } },
    { code: 'NotOwner', cause: 'blue acts', cure: 'Cure of NotOwner. The other one is blue.' },
  ],
  [
    'set aside',
    { workflows: [{ ...launch, status: 'set-aside', error: 'it died' }] },
    { code: 'SetAside', cure: expect.stringContaining('poolwright workflows restart east/u-1/launch/1') },
  ],
  [
    'paused',
    { pauses: [{ kind: 'provider', name: 'sim', setBy: 'configuration' }] },
    { code: 'Paused', cure: expect.stringContaining('from the configuration') },
  ],
  [
    'no longer paused',
    { ...notLaunched('Paused') },
    { well: true, cause: 'nothing is wrong: the condition Paused is stale and will be cleared' },
  ],
  [
    'failed, with the time of the next try',
    {
      ...notLaunched('Unauthorized', 'no right (next try at 2026-03-04T12:01:00.000Z)'),
      decisions: [
        {
          at: now,
          step: 'fail',
          code: 'launch-failed',
          fields: { reason: 'Unauthorized', message: 'no right' },
          text: '',
        },
      ],
    },
    {
      code: 'Unauthorized',
      cause: 'no right',
      cure: 'Cure of Unauthorized. The host retries automatically at 12:01:00Z.',
      until: now + 60_000,
    },
  ],
  [
    'waiting for a node class, with what fixes the class',
    {
      claim: aClaim({ conditions: [condition('Launched', 'Unknown', 'NodeClassNotReady', 'k n is not ready')] }),
      decisions: [
        {
          at: now,
          step: 'choose',
          code: 'launch-waits',
          fields: { reason: 'NodeClassNotReady', message: 'k n is not ready', because: 'ZonesNotFound' },
          text: '',
        },
      ],
    },
    { code: 'NodeClassNotReady', cause: 'k n is not ready', cure: 'Cure of ZonesNotFound.' },
  ],
  [
    'failed without a message',
    {
      claim: aClaim({
        conditions: [
          { type: 'Launched', status: 'False', reason: 'Unauthorized', lastTransitionTime: '' } as Condition,
        ],
      }),
    },
    { code: 'Unauthorized', cause: 'cause of Unauthorized.' },
  ],
  [
    'launched by another provisioner',
    {
      claim: aClaim({ conditions: [launched] }),
      decisions: [leftAlone],
    },
    {
      code: 'ForeignInstance',
      cause: 'it was launched by another; it is left alone',
      cure: 'Cure of ForeignInstance.',
    },
  ],
  [
    'taken over after it was left alone',
    {
      claim: aClaim({ conditions: [launched], record: { ...record, state: 'open' } }),
      decisions: [leftAlone],
      workflows: [{ ...launch, status: 'running' }],
    },
    { well: true },
  ],
  [
    'of a pool, with a wish that nothing fits',
    {
      claim: aClaim({
        conditions: [condition('Launched', 'False', 'NoInstanceTypeFits', 'none')],
        labels: { 'karpenter.sh/nodepool': 'gpus' },
      }),
      decisions: [{ at: now, step: 'choose', text: 'none', detail: { nearest: { text: 'drop it' } } }],
    },
    { cure: 'drop it. Change it in the template of NodePool gpus.' },
  ],
  [
    'draining, held by two budgets',
    { claim: drained, decisions: [draining('EvictionRefused', 'BudgetsOverlap')] },
    { code: 'BudgetsOverlap' },
  ],
  [
    'draining, held by one budget',
    { claim: drained, decisions: [draining('PodsNotToBeDisrupted', 'EvictionRefused')] },
    { code: 'EvictionRefused', cure: expect.stringContaining('relax PodDisruptionBudget shop/guard, ') },
  ],
  [
    'draining, held by nobody any more',
    { claim: drained, decisions: [draining('EvictionRefused'), draining()] },
    { well: true, cure: 'none needed: the pods are terminating' },
  ],
  [
    'draining, asked without the host: its Events tell what holds it',
    { claim: drained, isHostKnown: false, events: [told('EvictionRefused', now - 60_000)] },
    { code: 'EvictionRefused', cure: expect.stringContaining('relax the budget') },
  ],
  [
    'draining, asked without the host: what was told an hour ago is over',
    { claim: drained, isHostKnown: false, events: [told('EvictionRefused', now - 3_600_000)] },
    { well: true },
  ],
  [
    'draining, where the API server refuses',
    {
      claim: drained,
      decisions: [{ at: now, step: 'drain', code: 'end-waits', fields: { reason: 'DrainFailed' }, text: '' }],
    },
    { code: 'DrainFailed' },
  ],
  [
    'being deleted, and was made by another provisioner',
    {
      claim: aClaim({ deleting: true }),
      decisions: [{ at: now, step: 'terminate', code: 'foreign-end', fields: {}, text: 'left to its maker' }],
    },
    { code: 'ForeignInstance', cause: 'left to its maker' },
  ],
  [
    'failed, asked without the host: its Event says why',
    {
      ...notLaunched('Unauthorized', 'no right (next try at 2026-03-04T12:01:00.000Z)'),
      isHostKnown: false,
      events: [{ type: 'Warning', reason: 'Unauthorized', message: 'no right', at: now }],
    },
    { cause: 'no right' },
  ],
  [
    'misspelled, with what was meant',
    { claim: misspelled },
    { code: 'InvalidClaim', cure: expect.stringMatching(/^write "spot"\. The spec of a NodeClaim is immutable/) },
  ],
  [
    'draining, held by nobody',
    { claim: aClaim({ deleting: true, conditions: [condition('Drained', 'Unknown', 'Draining', '3 pods')] }) },
    { well: true, cure: 'none needed: the pods are terminating' },
  ],
  [
    'with volumes',
    {
      claim: aClaim({
        deleting: true,
        conditions: [
          condition('Drained', 'True', 'Drained'),
          condition('VolumesDetached', 'Unknown', 'AwaitingVolumeDetachment', '1 volume'),
        ],
      }),
    },
    { code: 'AwaitingVolumeDetachment', cause: '1 volume' },
  ],
  [
    'with a machine that does not go',
    {
      claim: aClaim({
        deleting: true,
        conditions: [condition('InstanceTerminating', 'Unknown', 'DeleteRefused', 'locked')],
      }),
    },
    { code: 'DeleteRefused', cause: 'locked' },
  ],
  [
    'announced by a dead letter',
    { deadLetters: [{ id: '7', reason: 'no JSON' }] },
    { code: 'DeadLettered', cure: expect.stringContaining('deadletters replay 7') },
  ],
  [
    'on its way',
    { workflows: [{ ...launch, status: 'running', waitingFor: 'busy with choose', until: now + 1000 }] },
    { well: true, cure: 'none needed: the host continues automatically at 12:00:01Z' },
  ],
  [
    'launching, which is no trouble',
    {
      claim: aClaim({ conditions: [condition('Launched', 'Unknown', 'Launching', 'small')] }),
      workflows: [{ ...launch, status: 'running' }],
    },
    { well: true },
  ],
  ['not seen yet', {}, { cause: 'no host has processed it yet, 10 min after it was created' }],
  ['without the host', { isHostKnown: false }, { code: 'HostUnreachable' }],
])('a claim that is %s', (_, more, expected) => {
  expect(diagnose(facts(more))).toMatchObject(expected);
});

test('whatever is known or not, there is one cause and one cure', () => {
  const text = fc.string({ maxLength: 40 });
  const status = fc.constantFrom<Condition['status']>('True', 'False', 'Unknown');
  const conditions = fc.array(
    fc.record({
      type: fc.constantFrom(
        'Launched',
        'Registered',
        'Initialized',
        'Ready',
        'Drained',
        'VolumesDetached',
        'InstanceTerminating',
      ),
      status,
      reason: fc.constantFrom('Paused', 'QuotaExceeded', 'Launching', 'NoInstanceTypeFits', 'x'),
      message: text,
      lastTransitionTime: fc.constantFrom('2026-03-04T11:58:00Z', 'never'),
    }),
    { maxLength: 7 },
  );
  const detail = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(
      conditions,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.record({ at: fc.nat(), step: fc.constantFrom('choose', 'join', 'fail'), text, detail }), {
        maxLength: 4,
      }),
      fc.option(text, { nil: undefined }),
      (given, deleting, isHostKnown, isGone, decisions, nodeName) => {
        const claim = aClaim({ conditions: given, deleting, ...defined({ nodeName }) });
        const { state, cause, cure } = diagnose(
          facts({
            claim: isGone ? undefined : claim,
            isGone,
            isHostKnown,
            decisions: decisions as DiagnosisFacts['decisions'],
          }),
        );
        for (const line of [state, cause, cure]) expect(typeof line).toBe('string');
        expect(cure).not.toBe('');
      },
    ),
  );
});

test.each([
  [0, '0 s'],
  [999, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_720_000, '1 h 2 min'],
  [277_200_000, '3 d 5 h'],
  [-5, '0 s'],
])('%i ms are %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});
