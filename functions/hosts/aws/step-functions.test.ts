import { expect, it } from 'vitest';
import { LambdaRefusal } from '../../../shared/workflow/lambda-durable/invoke.ts';
import { type Invoke, stepRunner } from './step-functions.ts';

const text = (value: unknown): string => JSON.stringify(value);

function start(...answers: (Awaited<ReturnType<Invoke>> | Error)[]) {
  const calls: { name: string; call: unknown }[] = [];
  const pauses: number[] = [];
  const run = stepRunner(
    {
      steps: 'p-steps',
      provision: (type) => `p-provision-${type}`,
      typeOf: async (provider) => `type-of-${provider}`,
    },
    async (name, payload) => {
      calls.push({ name, call: JSON.parse(payload) });
      const answer = answers.shift();
      if (!answer || answer instanceof Error) throw answer ?? new Error('not asked for');
      return answer;
    },
    async (milliseconds) => void pauses.push(milliseconds),
  );
  return { run, calls, pauses };
}

const payload = (input: object) => ({ id: 'c/u/launch/1', execution: 2, input: { ...input } });

it('asks the function of the provider that a step names, and the one for steps otherwise', async () => {
  const done = { payload: text({ ok: true, value: { do: 'end' } }) };
  const { run, calls } = start(done, done, done);
  expect(await run('choose', payload({ ref: 1 }))).toEqual({ ok: true, value: { do: 'end' } });
  await run('beginCreate', payload({ provider: 'gpu', providerType: 'ec2' }));
  // A workflow that began before steps carried the type.
  await run('beginCreate', payload({ provider: 'gpu' }));
  expect(calls).toEqual([
    { name: 'p-steps', call: { activity: 'choose', payload: payload({ ref: 1 }) } },
    {
      name: 'p-provision-ec2',
      call: { activity: 'beginCreate', payload: payload({ provider: 'gpu', providerType: 'ec2' }) },
    },
    { name: 'p-provision-type-of-gpu', call: { activity: 'beginCreate', payload: payload({ provider: 'gpu' }) } },
  ]);
});

it('gives a failure of the step back as it is', async () => {
  const { run } = start({ payload: text({ ok: false, error: 'no', final: true }) });
  expect(await run('choose', payload({}))).toEqual({ ok: false, error: 'no', final: true });
});

it('asks again a few times while the function is busy', async () => {
  const busy = new LambdaRefusal('TooManyRequestsException', 'Rate exceeded');
  const { run, pauses } = start(busy, busy, { payload: text({ ok: true, value: null }) });
  expect(await run('choose', payload({}))).toEqual({ ok: true, value: null });
  expect(pauses).toHaveLength(2);
  const never = start(busy, busy, busy, busy);
  expect(await never.run('choose', payload({}))).toEqual({
    ok: false,
    error: 'function p-steps could not be called: TooManyRequestsException: Rate exceeded',
    busy: true,
  });
});

it.each([
  [
    'threw',
    { functionError: 'Unhandled', payload: text({ errorType: 'Error', errorMessage: 'broken' }) },
    /p-steps failed: broken/,
  ],
  ['was ended', { functionError: 'Unhandled', payload: '' }, /p-steps failed: Unhandled/],
  ['answered with something else', { payload: text('fine') }, /returned no result for a step/],
  ['answered with half an answer', { payload: text({ ok: true }) }, /returned no result for a step/],
])('throws when the function %s: nobody knows how the step ended', async (_, answer, why) => {
  await expect(start(answer).run('choose', payload({}))).rejects.toThrow(why);
});

it('does not ask twice when an answer was lost', async () => {
  const { run, calls } = start(new Error('socket hang up'));
  await expect(run('choose', payload({}))).rejects.toThrow('could not be called: socket hang up');
  expect(calls).toHaveLength(1);
});
