/**
 * From what the cloud answered, or did not, to a value or an error kind. The code in the body decides; the status only
 * where there is no body that we understand.
 */
import type { z } from 'zod';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { type HttpAnswer, type HttpResponse, retryAfterSeconds } from '../../net/http-client.ts';
import { type Problem, problemSchema } from './wire.ts';

/** A write whose answer is lost may have happened; a read has nothing that could have. */
export type Access = 'read' | 'write';

export function readAnswer<T>(answer: HttpAnswer, access: Access, schema: z.ZodType<T>, clock: Clock): Result<T> {
  if (!answer.ok) {
    // What never left this machine did certainly not happen.
    if (access === 'write' && answer.sent) return failed('outcome-unknown', answer.message);
    return failed('unavailable', answer.message);
  }
  if (answer.status < 200 || answer.status >= 300) return toFailure(answer, access, clock);
  const parsed = schema.safeParse(answer.json());
  if (parsed.success) return ok(parsed.data);
  const cause = `status ${answer.status}: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`;
  return failed(
    access === 'write' ? 'outcome-unknown' : 'unavailable',
    'the simulated cloud returned an invalid response',
    { cause },
  );
}

export function problemOf(answer: HttpResponse): Problem | undefined {
  const parsed = problemSchema.safeParse(answer.json());
  return parsed.success ? parsed.data.error : undefined;
}

function toFailure(answer: HttpResponse, access: Access, clock: Clock): Result<never> {
  const problem = problemOf(answer);
  const cause = problem === undefined ? `status ${answer.status}` : `status ${answer.status}, ${problem.code}`;
  const message = problem?.message ?? `the simulated cloud answered ${answer.status}`;
  const pause = retryAfterSeconds(answer.headers, clock);
  const more = pause === undefined ? { cause } : { cause, retryAfterSeconds: pause };
  switch (problem?.code) {
    case 'InsufficientCapacity':
      return failed('insufficient-capacity', message, more);
    case 'QuotaExceeded':
      return failed('quota-exceeded', message, more);
    case 'InstanceNotFound':
      return failed('not-found', message, more);
    case 'OperationInProgress':
    case 'NameInUse':
      return failed('conflict', message, more);
    case 'TagMismatch':
      return failed('invalid', message, more);
  }
  if (answer.status === 429) return failed('throttled', message, more);
  if (answer.status === 401 || answer.status === 403) return failed('unauthorised', message, more);
  if (answer.status === 409) return failed('conflict', message, more);
  // A 404 without our code comes from something in between: it says nothing about the instance.
  if (answer.status === 404) return failed('unavailable', message, more);
  if (answer.status >= 400 && answer.status < 500) return failed('invalid', message, more);
  const harmless = access === 'read' || problem?.nothingDone === true;
  return failed(harmless ? 'unavailable' : 'outcome-unknown', message, more);
}
