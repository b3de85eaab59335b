/**
 * From what ARM answered to the kind of a failure, its text and its pause. The error code and its text decide (error-rules.ts);
 * the status only where no code is known.
 */
import { defined } from '../../base/defined.ts';
import type { ErrorKind, Failure } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { type ArmAnswer, type ArmProblem, describeProblems, problemsIn } from './arm-error.ts';
import { type AzureRequest, type AzureSignal, missingRight, type Rule, rules } from './error-rules.ts';
import { retryAfterOf } from './retry-after.ts';

export type { AzureRequest } from './error-rules.ts';

/** For what no rule knows. */
function kindByStatus(status: number | undefined, write: boolean, hasCode: boolean): ErrorKind {
  const lost: ErrorKind = write ? 'outcome-unknown' : 'unavailable';
  if (status === undefined) return 'unavailable';
  if (status === 429) return 'throttled';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 409 || status === 412) return 'conflict';
  // Without a code of ARM's it comes from something in between, and says nothing about the resource.
  if (status === 404) return hasCode ? 'not-found' : 'unavailable';
  if (status === 408 || status >= 500) return lost;
  // A redirect was not followed, so nothing was done.
  if (status < 400) return 'unavailable';
  return 'invalid';
}

/** From an answer that is no success. */
export function failureOf(answer: ArmAnswer, asked: AzureRequest, clock: Clock): Failure {
  const problems = problemsIn(answer.body);
  const seen = seenOf(problems, answer.status, asked);
  const rule = rules.find(({ when }) => when(seen));
  const hasCode = problems.some(({ code }) => code !== '');
  const byStatus = kindByStatus(answer.status, asked.write, hasCode);
  // A server that stumbled over a write may have done it all the same, whatever it says about why.
  const kind = byStatus === 'outcome-unknown' ? byStatus : (rule?.kind ?? byStatus);
  const own = rule?.say?.(seen) ?? (kind === 'unauthorised' ? missingRight(seen) : undefined);
  const said = describeProblems(problems);
  const message = [`${asked.what}: ${own ?? (said || `ARM answered ${answer.status}`)}`];
  if (own !== undefined && said !== '' && rule?.saysAll?.(seen) !== true) message.push(`ARM says: ${said}`);
  const applies = kind === rule?.kind ? rule : undefined;
  const pause = retryAfterOf(answer.headers, clock) ?? applies?.pause?.(seen);
  return {
    kind,
    message: message.join('. '),
    ...defined({ retryAfterSeconds: pause, code: applies?.code?.(seen) }),
    cause: causeOf(answer, problems),
  };
}

/**
 * From an operation that ended badly. There is no status to go by, so what no rule knows becomes `unavailable`.
 */
export function operationFailure(problems: readonly ArmProblem[], state: string, asked: AzureRequest): Failure {
  const seen = seenOf(problems, undefined, asked);
  const rule = rules.find(({ when }) => when(seen)) ?? refusedByCode(seen);
  const own = rule?.say?.(seen);
  const said = describeProblems(problems);
  const pause = rule?.pause?.(seen);
  const ended = `${asked.what} ended as ${state}`;
  return {
    kind: rule?.kind ?? 'unavailable',
    message: [ended, ...(own === undefined ? [] : [own]), ...(said === '' ? [] : [`ARM says: ${said}`])].join('. '),
    ...defined({ retryAfterSeconds: pause, code: rule?.code?.(seen) }),
    cause: problems[0]?.code || state,
  };
}

/** An operation that failed because of what was asked for will fail again. */
function refusedByCode({ codes }: AzureSignal): Rule | undefined {
  const refused = codes.some((one) => /^(bad_?request|invalid|unsupported|notsupported)/.test(one));
  return refused ? { when: () => true, kind: 'invalid' } : undefined;
}

/** An answer with a status of success that is not what was asked for. */
export function notUnderstood(answer: ArmAnswer, asked: AzureRequest, detail: string): Failure {
  return {
    kind: asked.write ? 'outcome-unknown' : 'unavailable',
    message: `${asked.what}: ARM answered ${answer.status} with an unexpected body (${detail})`,
    cause: causeOf(answer, []),
  };
}

function causeOf({ status, headers }: ArmAnswer, problems: readonly ArmProblem[]): string {
  const request = headers['x-ms-request-id'] ?? headers['x-ms-correlation-request-id'];
  const codes = problems.map(({ code }) => code).filter((one) => one !== '');
  return [`status ${status}`, ...codes.slice(0, 3), ...(request === undefined ? [] : [`request ${request}`])].join(
    ', ',
  );
}

function seenOf(problems: readonly ArmProblem[], status: number | undefined, asked: AzureRequest): AzureSignal {
  return {
    codes: problems.map(({ code }) => code.toLowerCase()),
    text: problems.map(({ message }) => message).join('\n'),
    status,
    asked,
  };
}
