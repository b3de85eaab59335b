/**
 * What an exception of an AWS client says, as plain data. The SDKs throw for everything; here the code, the text and the one
 * question that decides about money are read from it: may the request have reached AWS?
 */
import { defined } from '../../base/defined.ts';
import { bodyText } from '../../net/foreign-body.ts';

export interface AwsProblem {
  /** As AWS names it, such as `InsufficientInstanceCapacity`; empty when the failure is not AWS's. */
  code: string;
  text: string;
  status?: number;
  requestId?: string;
  /** AWS's answer was read: what it says is what happened. */
  answered: boolean;
  /** The request may have reached AWS, and its effect may be there. */
  sent: boolean;
  retryAfterSeconds?: number;
}

/** Failures of the network at a point where nothing of the request had left. */
const beforeSending = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN']);

export function awsProblem(error: unknown): AwsProblem {
  if (!(error instanceof Error))
    return { code: '', text: bodyText(String(error), longestText), answered: false, sent: true };
  const status = metadata(error, 'httpStatusCode');
  const requestId = metadata(error, 'requestId');
  const retryAfter = header(error, 'retry-after');
  // Only an error that AWS wrote has a fault; the SDK's own (time-outs, broken connections) have none. Its name is the code.
  const answered = '$fault' in error || '$response' in error || typeof status === 'number';
  return {
    code: answered || isOfCredentials(error) ? codeOf(error) : networkCode(error),
    text: textOf(error),
    answered: answered && typeof status === 'number',
    // An answer that broke off has no status, and was sent for all that.
    sent: typeof status !== 'number' && !isOfCredentials(error) && !isBeforeSending(error),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...defined({ retryAfterSeconds: retryAfter }),
  };
}

/** Nobody had credentials to sign with. */
const isOfCredentials = ({ name }: Error): boolean => name === 'CredentialsProviderError';

/** The SDK wraps what the network says; several addresses are tried, and each has its own error. */
function isBeforeSending(error: Error): boolean {
  if (beforeSending.has(networkCode(error))) return true;
  // The time for the connection has its own sentence; the time for the answer is another matter.
  if (error.name === 'TimeoutError' && /establish|connection timed? ?out/i.test(error.message)) return true;
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every((one) => one instanceof Error && isBeforeSending(one));
  }
  return false;
}

/** An explanation of a refused signature quotes the whole request. */
const longestText = 2000;

const networkCode = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

function codeOf(error: Error): string {
  // `UnauthorizedOperation`, and with some services `com.amazonaws…#ThrottlingException:http://…`.
  const raw = 'Code' in error && typeof error.Code === 'string' ? error.Code : error.name;
  return raw.replace(/^.*#/, '').replace(/:.*$/, '');
}

function textOf(error: Error): string {
  const first = error instanceof AggregateError && error.message === '' ? error.errors[0] : undefined;
  const text = first instanceof Error ? first.message : error.message;
  return bodyText(text, longestText) || error.name;
}

function metadata(error: Error, field: 'httpStatusCode' | 'requestId'): unknown {
  const found = '$metadata' in error ? error.$metadata : undefined;
  return typeof found === 'object' && found !== null && field in found ? Reflect.get(found, field) : undefined;
}

function header(error: Error, name: string): number | undefined {
  const response = '$response' in error ? error.$response : undefined;
  if (typeof response !== 'object' || response === null || !('headers' in response)) return undefined;
  const headers = response.headers;
  if (typeof headers !== 'object' || headers === null) return undefined;
  const seconds = Number(Reflect.get(headers, name));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
