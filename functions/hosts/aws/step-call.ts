/** How the workflow function asks another function for a step. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import type { ActivityPayload } from '../../../shared/workflow/payloads.ts';

export interface StepCall {
  activity: string;
  payload: ActivityPayload;
}

/** Only the workflow function may call the others, so anything else is a mistake of ours or of somebody at a console. */
export function readStepCall(event: unknown): StepCall {
  if (isObject(event) && typeof event.activity === 'string' && isObject(event.payload)) {
    const { id, execution, input = null } = event.payload;
    if (typeof id === 'string' && typeof execution === 'number') {
      return { activity: event.activity, payload: { id, execution, input: input as Json } };
    }
  }
  throw new Error(
    'this function accepts only {"activity": …, "payload": {"id": …, "execution": …, "input": …}} from the workflow function',
  );
}
