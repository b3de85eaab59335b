import { expect, it } from 'vitest';
import { ok } from '../../../shared/base/result.ts';
import type { Question } from '../../questions/provider-questions.ts';
import { resourcesFrom } from './function-resources.ts';
import { questionsToFunctions } from './provider-questions.ts';
import type { Invoke } from './step-functions.ts';

const env = { AWS_REGION: 'eu-west-1', STEPS_FUNCTION: 'p-steps', PROVISION_FUNCTION_PREFIX: 'p-provision-' };
const text = (value: unknown): string => JSON.stringify(value);
const patience = (): AbortSignal => new AbortController().signal;

const question: Question<{ provider?: string; of: string }, { answer: number }> = {
  name: 'a-question',
  load: () => Promise.reject(new Error('it is not answered here')),
};

function start(answer: Awaited<ReturnType<Invoke>> | Error, variables: Record<string, string> = env) {
  const resources = resourcesFrom(variables);
  if (!resources.ok) throw new Error(resources.error.message);
  const calls: { name: string; call: unknown }[] = [];
  const questions = questionsToFunctions({
    resources: resources.value,
    typeOf: (provider) => (provider === 'gpu' ? 'ec2' : undefined),
    invoke: async (name, payload) => {
      calls.push({ name, call: JSON.parse(payload) });
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { questions, calls };
}

it('asks the function of the provider that a question names, and the one for steps otherwise', async () => {
  const { questions, calls } = start({ payload: text(ok({ answer: 42 })) });

  expect(await questions.ask(question, { provider: 'gpu', of: 'life' }, patience())).toEqual(ok({ answer: 42 }));
  await questions.ask(question, { of: 'life' }, patience());

  expect(calls).toEqual([
    { name: 'p-provision-ec2', call: { question: 'a-question', input: { provider: 'gpu', of: 'life' } } },
    { name: 'p-steps', call: { question: 'a-question', input: { of: 'life' } } },
  ]);
});

it('gives a refusal back as it is', async () => {
  const refused = { ok: false, error: { kind: 'conflict', message: 'not now' } };
  const { questions } = start({ payload: text(refused) });
  expect(await questions.ask(question, { of: 'life' }, patience())).toEqual(refused);
});

it.each([
  ['could not be called', new Error('socket hang up'), /p-steps could not be called: socket hang up/],
  ['broke', { functionError: 'Unhandled', payload: text({ errorMessage: 'broken' }) }, /p-steps failed: broken/],
  ['answered with something else', { payload: text('fine') }, /did not answer a question/],
  ['answered with no JSON', { payload: '<html>' }, /no function answered "a-question"/],
])('says unavailable when the function %s', async (_, answer, why) => {
  const asked = await start(answer).questions.ask(question, { of: 'life' }, patience());
  expect(asked).toMatchObject({ ok: false, error: { kind: 'unavailable', message: expect.stringMatching(why) } });
});

it('knows no function for a provider that is not configured, or without its variables', async () => {
  const { questions, calls } = start({ payload: text(ok(1)) });
  expect(await questions.ask(question, { provider: 'tpu', of: 'life' }, patience())).toMatchObject({
    error: { kind: 'not-found' },
  });
  const bare = start({ payload: text(ok(1)) }, { AWS_REGION: 'eu-west-1' });
  expect(await bare.questions.ask(question, { of: 'life' }, patience())).toMatchObject({ error: { kind: 'invalid' } });
  expect([...calls, ...bare.calls]).toEqual([]);
});
