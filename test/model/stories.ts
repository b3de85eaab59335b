/**
 * Stories that end badly under simpler rules, told step by step. Each is played twice: under the broken rule it runs to its
 * bad end; under the real rules some step of it can't be taken, and nothing that can happen instead breaks anything.
 */
import type { Property } from './properties.ts';
import type { Change, Config } from './setup.ts';

export interface Story {
  name: string;
  config: Config;
  /** Labels of the steps, in order. */
  steps: readonly string[];
  /** Without this change, one of the steps must be impossible. */
  change: Change;
  breaks: Property;
}

const start = ['resync starts L1', 'L1 goes for attempt 1', 'L1 takes the right to create(1)'];
const ready = [
  'create(1) of L1 takes effect, answered',
  'L1 polls: the instance of attempt 1 is there',
  'L1 records attempt 1 (Launched)',
];

export const stories: readonly Story[] = [
  {
    name: '1. a lost create(1) lands after its repetition was told sold out',
    config: { name: 'story 1', idempotency: 'token', looks: false, budget: { lost: 1 } },
    steps: [
      ...start,
      'the history of L1 is lost (at answer)',
      ...start,
      'create(1) of L1 is answered: sold out',
      'L1 closes attempt 1, no wait: its one write was answered',
      'L1 finds nothing left of attempt 1',
      'L1 takes the right to create(2)',
      'create(1) of nobody takes effect',
      'create(2) of L1 takes effect, answered',
    ],
    change: {
      rules: (real) => ({
        closeAttempt: (claim, uid, attempt, closer, refusedTo) => {
          const verdict = real.closeAttempt(claim, uid, attempt, closer, refusedTo);
          return verdict.ok ? { ...verdict, settle: refusedTo === undefined } : verdict;
        },
      }),
    },
    breaks: 'P1',
  },
  {
    name: '2. the first of two PUTs lands after the finalizer was dropped',
    config: { name: 'story 2', idempotency: 'name', looks: false, budget: { repeat: 1, userDelete: 1 } },
    steps: [
      ...start,
      "the engine runs L1's create(1) again while the first still runs",
      'L1 takes the right to create(1)',
      ...ready,
      'L1 sees its node Ready (attempt 1)',
      'the user deletes the claim',
      'resync starts terminate',
      'terminate sees that no launch runs',
      'terminate reads the claim, need not wait',
      'terminate begins the delete',
      "attempt 1's instance is gone",
      'terminate sees it gone',
      'terminate finds nothing',
      'terminate drops the finalizer',
    ],
    change: { rules: () => ({ terminateSettles: () => false }) },
    breaks: 'P4',
  },
  {
    name: '3. the deadline of one launch passes while the other sets Ready',
    config: { name: 'story 3', idempotency: 'token', looks: false, budget: { second: 1 } },
    steps: [
      ...start,
      ...ready,
      'L2 is started while L1 still runs',
      'L2 goes on with launched attempt 1',
      'L1 waits in vain for the node of attempt 1',
      'L2 sees its node Ready (attempt 1)',
      'L1 closes attempt 1',
    ],
    change: {
      rules: (real) => ({
        closeAttempt: (claim, ...rest) => real.closeAttempt(claim && { ...claim, ready: false }, ...rest),
      }),
    },
    breaks: 'P5',
  },
  {
    name: '4. without idempotency two executions list nothing and both deploy',
    config: { name: 'story 4', idempotency: 'none', looks: true, budget: { second: 1 } },
    steps: [
      ...start,
      'L2 is started while L1 still runs',
      'L2 goes for attempt 1',
      'L2 takes the right to create(1)',
      'create(1) of L1 takes effect, answered',
      'create(1) of L2 takes effect, answered',
    ],
    change: {
      rules: (real) => ({
        takeWriteRight: (claim, wish) => real.takeWriteRight(claim, { ...wish, idempotency: 'token' }),
      }),
    },
    breaks: 'P1',
  },
  {
    name: '5. a duplicate passes its check after the claim failed',
    config: { name: 'story 5', idempotency: 'name', looks: false, attempts: 1, budget: { duplicate: 1, retry: 1 } },
    steps: [
      ...start,
      'create(1) of L1 is answered: sold out',
      'L1 closes attempt 1, no wait: its one write was answered',
      'L1 finds nothing left of attempt 1',
      'L1 fails the claim after attempt 1',
      'a duplicate of create(1) takes a right',
      'the pause after the failure is over',
      'resync starts L1',
      'L1 goes for attempt 2',
      'L1 takes the right to create(2)',
      'create(2) of L1 takes effect, answered',
      'create(1) of nobody takes effect',
    ],
    change: {
      rules: (real) => ({
        takeWriteRight: (claim, wish) =>
          claim?.record?.state === 'failed' && claim.record.attempt === wish.attempt
            ? { ok: true, record: { ...claim.record, rights: claim.record.rights + 1, holder: wish.execution } }
            : real.takeWriteRight(claim, wish),
      }),
    },
    breaks: 'P1',
  },
  {
    name: '7. a restore from attempt 2 to 1 while the instance of 2 lives',
    config: { name: 'story 7', idempotency: 'token', looks: true, budget: { snapshot: 1, restore: 1 } },
    steps: [
      ...start,
      'a backup of etcd is taken',
      'create(1) of L1 is answered: sold out',
      'L1 closes attempt 1, no wait: its one write was answered',
      'L1 finds nothing left of attempt 1',
      'L1 takes the right to create(2)',
      'create(2) of L1 takes effect, answered',
      'etcd is RESTORED from the backup',
      'L1 polls: attempt 2 failed',
      'L1 close of attempt 2 refused (moved-on)',
      'L1 goes for attempt 1',
      'L1 takes the right to create(1)',
      'create(1) of L1 takes effect, answered',
    ],
    change: { looks: false },
    breaks: 'P1',
  },
  {
    name: '9. the time limit is counted from the start of the attempt',
    config: { name: 'story 9', idempotency: 'token', looks: false, budget: { duplicate: 1 } },
    steps: [
      ...start,
      'a duplicate of create(1) takes a right',
      'create(1) of L1 expires without effect',
      'L1 closes attempt 1',
      'L1 has waited, attempt 1',
      'L1 finds nothing left of attempt 1',
      'L1 takes the right to create(2)',
      'create(1) of nobody takes effect',
      'create(2) of L1 takes effect, answered',
    ],
    change: { program: { limitRunsFromRight: false } },
    breaks: 'P1',
  },
];

/** Two that end badly only because nothing happens any more: what is judged is where they come to rest. */
export const neglected: readonly Story[] = [
  {
    name: '6. the finalizer is stripped and a claim of the same name is made',
    config: { name: 'story 6', idempotency: 'token', looks: false, budget: { userDelete: 1, strip: 1, recreate: 1 } },
    steps: [
      ...start,
      ...ready,
      'L1 sees its node Ready (attempt 1)',
      'the user deletes the claim',
      'the finalizer is stripped by force',
      'a claim of the same name is made',
    ],
    change: {
      rules: (real) => ({
        isOrphan: (reading, instance) => reading.found !== 'other-uid' && real.isOrphan(reading, instance),
      }),
    },
    breaks: 'P2',
  },
  {
    name: '8. a restore after the launch had ended',
    config: { name: 'story 8', idempotency: 'token', looks: true, budget: { snapshot: 1, restore: 1 } },
    steps: [
      'a backup of etcd is taken',
      ...start,
      ...ready,
      'L1 sees its node Ready (attempt 1)',
      'etcd is RESTORED from the backup',
    ],
    change: { program: { startsAfterEnd: false } },
    breaks: 'P3',
  },
];
