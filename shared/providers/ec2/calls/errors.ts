/** From what AWS answered, or did not, to the kind of a failure, its text and its pause. */

import { defined } from '../../../base/defined.ts';
import type { ErrorKind, Failure } from '../../../base/result.ts';
import type { AwsProblem } from '../../../platforms/aws/errors.ts';
import { codeBy, type Ec2Request, type Rule, ruleBehind, ruleFor } from './error-rules.ts';

declare module '../../../base/result.ts' {
  interface Failure {
    /** With `not-found` of instances of EC2: those that it named. */
    absent?: readonly string[];
  }
}

export function failureOf(problem: AwsProblem, asked: Ec2Request): Failure {
  const { code, text } = problem;
  const what = `${asked.service} ${asked.action}`;
  const rule = ruleFor({ code, text, asked });
  const kind = rule?.kind ?? kindByStatus(problem, asked.write);
  const own = rule?.say?.({ code, text, asked }) ?? ownText(problem, asked);
  const said = withoutEncoded(text);
  const message = [`${what}: ${own ?? said}`];
  if (own !== undefined && rule?.saysAll !== true) message.push(`AWS says: ${said}`);
  const pause = problem.retryAfterSeconds ?? rule?.pauseSeconds;
  return {
    kind,
    message: message.join('. '),
    ...defined({ retryAfterSeconds: pause }),
    ...(rule?.lasting === undefined ? {} : { lasting: true }),
    ...(code === '' ? {} : { code: codeBy(code, rule) }),
    ...defined({ absent: rule?.absent?.(text) }),
    cause: causeOf(problem),
  };
}

/** For what no rule knows. */
function kindByStatus({ answered, sent, status = 0 }: AwsProblem, write: boolean): ErrorKind {
  const lost: ErrorKind = write ? 'outcome-unknown' : 'unavailable';
  if (!answered) return sent ? lost : 'unavailable';
  if (status === 429) return 'throttled';
  if (status === 401 || status === 403) return 'unauthorised';
  // A server that stumbled over a write may have done it; so may one whose answer we can't read.
  if (status >= 500 || status < 400 || status === 408) return lost;
  return 'invalid';
}

function ownText({ answered, code, status = 0 }: AwsProblem, { service, region }: Ec2Request): string | undefined {
  if (answered && status < 400) return 'AWS returned an invalid response';
  if (answered) return undefined;
  if (code === 'ENOTFOUND') return `there is no ${service} endpoint for region ${region}; check region and endpoint`;
  return `${service} in ${region} is unreachable, or did not respond`;
}

/** For people, and for AWS's support. */
function causeOf({ code, status, requestId }: AwsProblem): string {
  const parts = [
    code,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
  return parts.filter((part) => part !== '').join(', ') || 'no answer';
}

const withoutEncoded = (text: string): string =>
  text.replace(/\s*Encoded authorization failure message:.*$/s, '').trim();

/** AWS's own code of a failure that `failureOf` made; of a code with several meanings, its meaning follows it. */
export const codeIn = ({ code }: Failure): string => code ?? '';

/** The rule behind a failure of a launch, for what it says about other offerings and the node class. */
export const ruleOf = (failure: Failure): Rule | undefined => ruleBehind(codeIn(failure));
