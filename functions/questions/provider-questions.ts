/**
 * How HTTP functions have questions answered that need a provider. A question is asked by its declaration in
 * `questions.ts`; its answer is given by whoever holds the provider's code and rights. In one process that is the process itself
 * (`questionsHere`). On Lambda it is another function: that of the provider, if the input has a field `provider`, else `steps`, which
 * reads every cloud and changes none.
 *
 * To add one: declare it in `questions.ts`, write its answer in `answers/<name>.ts`, and ask for it in a route. Input and answer
 * are plain JSON. An answer may be asked for twice, and by anybody who has the token of the HTTP API; it checks its input as a
 * route would, because the function that gives it can be called by itself.
 *
 * @example
 * const checks = await questions.ask(checkProvider, { provider: 'aks', cluster: 'production' }, c.req.raw.signal);
 * if (!checks.ok) return refuse(c, checks.error);
 */
import { failed, type Result } from '../../shared/base/result.ts';
import type { FunctionServices } from '../declaration.ts';

export type Answer<In, Out> = (services: FunctionServices, input: In, signal: AbortSignal) => Promise<Result<Out>>;

export interface Question<In, Out> {
  /** On the wire between functions, so it is never given another meaning. */
  readonly name: string;
  /** The code behind it, loaded where the question is answered and nowhere else. */
  load(): Promise<Answer<In, Out>>;
}

export interface ProviderQuestions {
  ask<In extends object, Out>(question: Question<In, Out>, input: In, signal: AbortSignal): Promise<Result<Out>>;
}

/** Below what a gateway waits for HTTP: an answer that says what took so long is better than none. */
export const answerSeconds = 25;

/** For hosts that have every provider in the same process. */
export const questionsHere = (services: FunctionServices): ProviderQuestions => ({
  ask: async (question, input, signal) => {
    const answer = await question.load();
    return withinTime(question.name, signal, (limited) => answer(services, input, limited));
  },
});

/** What has not answered in time is left behind: whoever asked has gone by then. */
export async function withinTime<T>(
  name: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result<T>>,
): Promise<Result<T>> {
  const time = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<Result<never>>();
  const timer = setTimeout(() => {
    time.abort();
    resolve(failed('unavailable', `${name}: no answer within ${answerSeconds} s; try again`));
  }, answerSeconds * 1000);
  try {
    return await Promise.race([work(AbortSignal.any([outer, time.signal])), late]);
  } finally {
    clearTimeout(timer);
  }
}
