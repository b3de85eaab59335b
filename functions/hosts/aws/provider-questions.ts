/** On Lambda the HTTP function has no permissions in any cloud, so it asks the functions that have them. */

import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../../../shared/base/error-text.ts';
import type { Json } from '../../../shared/base/json.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { fieldOf } from '../../provisioners/step-fields.ts';
import { type Answer, type ProviderQuestions, withinTime } from '../../questions/provider-questions.ts';
import type { FunctionResources } from './function-resources.ts';
import { type QuestionCall, readAnswer } from './question-call.ts';
import { functionCaller, type Invoke } from './step-functions.ts';

interface FunctionParts {
  resources: FunctionResources;
  /** The type of a configured provider. */
  typeOf(provider: string): string | undefined;
  invoke: Invoke;
}

export function questionsToFunctions({ resources, typeOf, invoke }: FunctionParts): ProviderQuestions {
  const callFunction = functionCaller(invoke, (milliseconds) => pause(milliseconds));
  const functionFor = (input: Json): Result<string> => {
    const provider = fieldOf(input, 'provider');
    if (provider === undefined) return resources.of('stepsFunction');
    const type = typeOf(provider);
    if (type === undefined) return failed('not-found', `provider ${provider} is not in the configuration`);
    const prefix = resources.of('provisionFunctionPrefix');
    return prefix.ok ? ok(`${prefix.value}${type}`) : prefix;
  };
  return {
    ask: async <In extends object, Out>(
      question: { name: string; load(): Promise<Answer<In, Out>> },
      given: In,
      signal: AbortSignal,
    ) => {
      const input = given as Json;
      const name = functionFor(input);
      if (!name.ok) return name;
      const call: QuestionCall = { question: question.name, input };
      return await withinTime(question.name, signal, async () => {
        try {
          return readAnswer(name.value, await callFunction(name.value, call)) as Result<Out>;
        } catch (error) {
          const message = errorText(error);
          return failed('unavailable', `no function answered "${question.name}": ${message}`);
        }
      });
    },
  };
}
