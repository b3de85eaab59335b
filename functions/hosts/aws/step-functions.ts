/**
 * The way from a workflow to its steps: each is a call of another function, which answers within this one. So the workflow's role
 * needs no right at any cloud, and each provider's function has its own and nobody else's.
 */
import { errorText } from '../../../shared/base/error-text.ts';
import type { DurableHandlerOptions } from '../../../shared/workflow/lambda-durable/handler.ts';
import { type Invoked, LambdaRefusal } from '../../../shared/workflow/lambda-durable/invoke.ts';
import type { ActivityAnswer } from '../../../shared/workflow/payloads.ts';
import { fieldOf } from '../../provisioners/step-fields.ts';
import type { StepCall } from './step-call.ts';

export interface StepFunctions {
  /** The function for the steps that belong to no provider. */
  steps: string;
  /** The function that acts for providers of a type. */
  provision(type: string): string;
  /** The type of a provider by its name in the configuration: for workflows that began before steps carried it. */
  typeOf(provider: string): Promise<string>;
}

export type Invoke = (functionName: string, payload: string) => Promise<Invoked>;

/** What a function that is asked for more often than it may run answers with. */
const busy = new Set(['TooManyRequestsException', 'CodeArtifactUserPendingException', 'ResourceConflictException']);
/** Short, because the workflow waits meanwhile and is paid for; longer waits are the workflow's own. */
const pausesMs = [200, 600, 1500];

/** The function was not called at all. */
class FunctionBusy extends Error {
  override readonly name = 'FunctionBusy';
}

export type CallFunction = (name: string, event: object) => Promise<string>;

/** @returns What calls a function and gives the text of its answer; it throws where there is none. */
export function functionCaller(invoke: Invoke, pause: (milliseconds: number) => Promise<void>): CallFunction {
  const patiently = async (name: string, payload: string): Promise<Invoked> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await invoke(name, payload);
      } catch (error) {
        const code = error instanceof LambdaRefusal ? error.code : '';
        const wait = pausesMs[attempt];
        if (!busy.has(code) || wait === undefined) {
          const why = `function ${name} could not be called: ${code ? `${code}: ` : ''}${errorText(error)}`;
          throw busy.has(code) ? new FunctionBusy(why, { cause: error }) : new Error(why, { cause: error });
        }
        await pause(wait);
      }
    }
  };
  return async (name, event) => {
    const { functionError, payload } = await patiently(name, JSON.stringify(event));
    if (functionError !== undefined) throw new Error(`function ${name} failed: ${whyOf(payload) ?? functionError}`);
    return payload;
  };
}

/** @returns What runs one step; it throws where nobody can say how the step ended. */
export function stepRunner(
  functions: StepFunctions,
  invoke: Invoke,
  pause: (milliseconds: number) => Promise<void>,
): DurableHandlerOptions['runActivity'] {
  const callFunction = functionCaller(invoke, pause);
  return async (activity, payload) => {
    const provider = fieldOf(payload.input, 'provider');
    const type = fieldOf(payload.input, 'providerType') ?? (provider && (await functions.typeOf(provider)));
    const name = type === undefined ? functions.steps : functions.provision(type);
    const call: StepCall = { activity, payload };
    try {
      return readAnswer(name, await callFunction(name, call));
    } catch (error) {
      if (error instanceof FunctionBusy) return { ok: false, error: error.message, busy: true };
      throw error;
    }
  };
}

/** The platform writes `{"errorType": …, "errorMessage": …}` when a function breaks. */
function whyOf(text: string): string | undefined {
  const said = parsed(text);
  if (typeof said !== 'object' || said === null || !('errorMessage' in said)) return undefined;
  return String(said.errorMessage);
}

function readAnswer(name: string, text: string): ActivityAnswer {
  const answer = parsed(text);
  if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
    if (answer.ok === true && 'value' in answer) return answer as ActivityAnswer;
    if (answer.ok === false && 'error' in answer) return answer as ActivityAnswer;
  }
  throw new Error(`function ${name} returned no result for a step`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
