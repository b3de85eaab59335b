/**
 * From what CloudStack answered, or did not, to the kind of a failure, its code and its text. The error code decides; where
 * one code stands for several things, its text does (the texts are those of the management server).
 */
import { defined } from '../../base/defined.ts';
import type { ErrorKind, Failure } from '../../base/result.ts';
import { cutText } from '../../base/text.ts';
import { bodyText } from '../../net/foreign-body.ts';
import type { HttpFailure, HttpResponse } from '../../net/http-client.ts';
import { type CloudStackCode, cloudStackCodes as codes, isLastingProblem } from './codes.ts';
import type { CloudStackProblem } from './envelope.ts';

/** What was asked for, as far as an error needs it. */
export interface CloudStackRequest {
  command: string;
  /** Host and path, such as `https://cloud.example/client/api`. */
  endpoint: string;
  /** A lost answer to a write may hide that it was done. */
  write: boolean;
}

interface Meaning {
  kind: ErrorKind;
  code?: CloudStackCode;
  /** What is wrong and what to do, before what CloudStack says itself. */
  say?: string;
}

/** What a person has to mend is told by its own name wherever it is shown. */
const told = (failure: Failure): Failure =>
  isLastingProblem(failure.code) && failure.kind !== 'outcome-unknown' && failure.code !== undefined
    ? { ...failure, reason: failure.code }
    : failure;

/** CloudStack quotes the parameter that it refuses. User data holds what a node joins with, and encoded nobody would recognize it. */
const encodedText = /[A-Za-z0-9+/]{120,}={0,2}/g;

/** Job and answer have the same codes. */
export function failureOf(problem: CloudStackProblem, asked: CloudStackRequest): Failure {
  const { kind, code, say } = meaningOf(problem, asked);
  const said = cutText(problem.text.replace(encodedText, '…'), 500);
  const parts = [say, say === undefined || said === '' ? said : `CloudStack says: ${said}`];
  const text = parts.filter((part) => part !== undefined && part !== '').join('. ');
  return told({
    kind,
    message: `${asked.command}: ${text || `CloudStack answered ${problem.code}`}`,
    ...defined({ code, retryAfterSeconds: kind === 'throttled' ? pauseIn(problem.text) : undefined }),
    cause: [`error ${problem.code}`, ...(problem.inner === undefined ? [] : [`exception ${problem.inner}`])].join(', '),
  });
}

/** The result of a job that failed: nothing is lost here, the job is over. */
export const jobFailure = (problem: CloudStackProblem, command: string): Failure =>
  failureOf(problem, { command, endpoint: '', write: false });

export const isCredentialProblem = ({ code, text }: CloudStackProblem): boolean =>
  code === 401 && (text === '' || /credential|signature|unable to verify/i.test(text));

function meaningOf(problem: CloudStackProblem, asked: CloudStackRequest): Meaning {
  const { code, text } = problem;
  const lost: ErrorKind = asked.write ? 'outcome-unknown' : 'unavailable';
  switch (code) {
    case 401:
      return isCredentialProblem(problem)
        ? {
            kind: 'unauthorised',
            code: codes.credentials,
            say: 'CloudStack does not accept the API key or the signature; check that the API key exists, that the secret key belongs to it, and that its user and account are enabled',
          }
        : notAllowed(asked);
    case 429:
      return { kind: 'throttled', say: 'the account is over its API request limit' };
    case 432:
      return /does not exist|not available|not allowed/i.test(text) ? notAllowed(asked) : refused(text);
    case 405:
      return notAllowed(asked);
    case 430:
    case 400:
      return refused(text);
    case 431:
      return notFoundText.test(text) ? { kind: 'not-found', code: codes.notFound } : refused(text);
    case 511:
      return {
        kind: 'unauthorised',
        code: codes.secondFactor,
        say: 'the user of the API key has to pass a second factor, which a program cannot; use a user without two-factor authentication',
      };
    case 531:
      return {
        kind: 'unauthorised',
        code: codes.account,
        say: `the account of the API key may not do this with ${asked.command}; check its domain, its projects and the owner of what the message names`,
      };
    case 532:
    case 535:
      return {
        kind: 'quota-exceeded',
        code: codes.quota,
        say: 'a resource limit of the account, domain or project is used up',
      };
    case 533:
    case 534:
      return { kind: 'insufficient-capacity', code: codes.capacity, say: 'CloudStack has no capacity for this here' };
    case 536:
    case 537:
      return { kind: 'conflict', code: codes.inUse };
    default:
      // 530 is an exception on the server's side: it may have come after the work was done.
      return { kind: code >= 500 || code === 0 ? lost : 'invalid' };
  }
}

/** As the server writes it of an id or a name that leads nowhere. */
const notFoundText =
  /unable to find|entity does not exist|(does not|doesn't|do not|don't) exist|can(no|')t find|could(n't| not) find|not found|no such/i;

const refused = (text: string): Meaning => ({
  kind: 'invalid',
  code: codes.refused,
  ...(text === '' ? { say: 'CloudStack refuses the request' } : {}),
});

const notAllowed = ({ command }: CloudStackRequest): Meaning => ({
  kind: 'unauthorised',
  code: codes.command,
  say: `the role of the API key does not allow the command ${command}, or this CloudStack does not have it; allow it in the role`,
});

/** "…, please retry after 312 ms" */
function pauseIn(text: string): number {
  const milliseconds = /retry after (\d{1,7}) ?ms/i.exec(text)?.[1];
  return milliseconds === undefined ? 1 : Math.max(0.05, Number(milliseconds) / 1000);
}

/** There was no answer. */
export function silence(failure: HttpFailure, asked: CloudStackRequest): Failure {
  const { command, endpoint, write } = asked;
  const tls = tlsProblem(failure.code);
  if (tls !== undefined) {
    const message = `${command}: the certificate of ${endpoint} is not trusted: ${tls}`;
    return told({ kind: 'unavailable', code: codes.tls, message, cause: failure.message });
  }
  const kind: ErrorKind = failure.sent && write ? 'outcome-unknown' : 'unavailable';
  const what =
    failure.code === 'ENOTFOUND'
      ? 'its name cannot be resolved; check the API URL'
      : failure.sent
        ? 'the answer was lost'
        : 'it cannot be reached';
  return {
    kind,
    code: codes.unreachable,
    message: `${command}: no answer from ${endpoint}: ${what}`,
    cause: failure.message,
  };
}

/** Undefined: it is not about certificates. */
function tlsProblem(code: string | undefined): string | undefined {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_SIGNATURE_FAILURE':
    case 'CERT_UNTRUSTED':
      return 'no known authority issued it; give the PEM of its authority as certificateAuthority';
    case 'CERT_HAS_EXPIRED':
      return 'it, or its authority, has expired; renew it';
    case 'CERT_NOT_YET_VALID':
      return 'it is not valid yet; check the clock of this machine';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'it is for another name; use a URL with a name that it has';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'EPROTO':
      return 'the server does not use TLS at this address; check the scheme and the port of the API URL';
    default:
      return undefined;
  }
}

/** An answer that is none of CloudStack's. */
export function foreignAnswer(answer: HttpResponse, asked: CloudStackRequest): Failure {
  const { command, endpoint, write } = asked;
  const { status, headers } = answer;
  const cause = `status ${status}`;
  const shown = bodyText(answer.text, 120);
  const quoted = shown === '' ? '' : ` (${JSON.stringify(shown)})`;
  // A gateway before the server, or the server while it starts: it comes back by itself.
  if (status === 429)
    return { kind: 'throttled', message: `${command}: ${endpoint} answered 429`, retryAfterSeconds: 1, cause };
  if (status >= 500 || status === 408) {
    const kind = write ? 'outcome-unknown' : 'unavailable';
    return { kind, code: codes.unreachable, message: `${command}: ${endpoint} answered ${status}${quoted}`, cause };
  }
  const where = status >= 300 && status < 400 ? `; it redirects to ${cutText(headers.location ?? 'nowhere', 200)}` : '';
  const message = `${command}: ${endpoint} is not the API of CloudStack: it answered ${status} without an envelope of CloudStack${where}${quoted}; the API URL ends in /client/api`;
  // Whoever answers a write with a page may still have handed it on.
  const kind = write && status < 300 ? 'outcome-unknown' : 'unavailable';
  return told({ kind, code: codes.notCloudStack, message, cause });
}

export const clockSkewFailure = (skewMs: number, { command, endpoint }: CloudStackRequest): Failure => {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const side = skewMs > 0 ? 'behind' : 'ahead of';
  return told({
    kind: 'unauthorised',
    code: codes.clockSkew,
    message: `${command}: the clock of this machine is ${minutes} minutes ${side} that of ${endpoint}, so the signature has expired; synchronize both clocks (NTP)`,
    cause: `skew ${Math.round(skewMs / 1000)} s`,
  });
};
