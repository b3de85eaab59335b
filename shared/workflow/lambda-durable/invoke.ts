/** Calls of functions that answer within the call. */
import { defined } from '../../base/defined.ts';
import type { SignedLambda } from './signed-http.ts';

export interface Invoked {
  /** Set when the function itself broke: it threw, or it was ended for its time or its memory. */
  functionError?: string;
  payload: string;
}

/** The service did not call the function. */
export class LambdaRefusal extends Error {
  override readonly name = 'LambdaRefusal';
  /** As the service names it, such as `TooManyRequestsException`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Never repeated here: what a lost answer was about may have happened.
 * @throws {LambdaRefusal} Also an Error when there is no answer.
 */
export async function invokeFunction(lambda: SignedLambda, functionName: string, payload: string): Promise<Invoked> {
  const answer = await lambda.askOnce({
    method: 'POST',
    path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
    headers: { 'x-amz-invocation-type': 'RequestResponse' },
    body: payload,
  });
  const { error, message, status, response } = answer;
  if (error !== undefined) throw new LambdaRefusal(error, message || `HTTP ${status}`);
  const broken = response.headers['x-amz-function-error'];
  return { ...defined({ functionError: typeof broken === 'string' ? broken : undefined }), payload: response.text };
}
