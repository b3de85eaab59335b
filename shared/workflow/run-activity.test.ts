import { expect, it } from 'vitest';
import { manualTimers } from '../../test/conformance/workflow/manual-timers.ts';
import { manualClock } from '../base/runtime.ts';
import { runActivity, runMailbox } from './run-activity.ts';

const payload = { id: 'k/1', execution: 2, input: { n: 1 } };

it('tells the activity whose it is, and answers with its result', async () => {
  const answer = await runActivity(
    'look',
    async (input, { workflowId, activity, execution }) => [input, workflowId, activity, execution],
    payload,
  );
  expect(answer).toEqual({ ok: true, value: [{ n: 1 }, 'k/1', 'look', 2] });
});

it('answers for an activity that takes too long, and tells it to stop', async () => {
  const clock = manualClock();
  const timers = manualTimers(clock);
  let stopped: AbortSignal | undefined;
  const answer = runActivity(
    'slow',
    (_input, { signal }) => {
      stopped = signal;
      return new Promise(() => undefined);
    },
    payload,
    { deadlineSeconds: 60, timers },
  );
  clock.advance(60_000);
  timers.fireDue();
  expect(await answer).toEqual({ ok: false, error: 'activity "slow" did not finish within 60 s' });
  expect(stopped?.aborted).toBe(true);
});

it('answers for a mailbox that is out of reach', async () => {
  const away = async (): Promise<never> => {
    throw new Error('the state is away');
  };
  expect(await runMailbox({ get: away, put: away }, {})).toEqual({ ok: false, error: 'the state is away' });
});
