import { expect, it } from 'vitest';
import { testContext } from '../../../../test/stand-ins/provider-context.ts';
import { ok, type Result } from '../../../base/result.ts';
import { manualClock } from '../../../base/runtime.ts';
import { paceFor } from '../pace.ts';
import { Ending } from './ending.ts';
import { displayNameFor } from './ownership.ts';
import { readVm } from './vm.ts';

const owner = { deployment: 'd', cluster: 'k', claimUid: 'u', attempt: 1 };
const vm = readVm({ id: 'v', state: 'Running', displayname: displayNameFor(owner, 'c') })!;
const signal = new AbortController().signal;

it('is not put off by deploys that came later, however many there are', async () => {
  const clock = manualClock();
  const context = testContext({ clock });
  const pace = paceFor('ending', { requestsPerSecond: 25, patienceMs: 1 }, context);
  const ending = new Ending({
    client: {
      call: async <T>(_command: string, _params: object, _signal: AbortSignal, options?: { who?: string }) => {
        const room = await pace.enter(options?.who, signal);
        return (room.ok ? ok({ jobid: 'j' }) : room) as Result<T>;
      },
      job: () => expect.fail('nobody asks for a job'),
    },
    vms: { get: async () => ok(vm) },
    volumes: { madeWith: async () => ok([]) },
    clock,
    state: context.state,
    expunge: true,
    scope: 's',
  });
  const deploys = (count: number, from: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => pace.enter(`deploy ${from + index}`, signal)));
  await deploys(100, 0);
  let seconds = 0;
  for (let answer = await ending.begin({ id: 'v', owner }, signal); !answer.ok; ) {
    expect(answer.error.kind).toBe('throttled');
    const { retryAfterSeconds = 1 } = answer.error;
    seconds += retryAfterSeconds;
    expect(seconds).toBeLessThan(10);
    clock.advance(Math.ceil(retryAfterSeconds * 1000));
    // More of them than the limit lets through in that time.
    await deploys(Math.ceil(retryAfterSeconds * 30), 100 + seconds * 30);
    answer = await ending.begin({ id: 'v', owner }, signal);
  }
  expect(seconds).toBeGreaterThan(1);
});
