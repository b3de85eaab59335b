import { EC2ServiceException } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import { awsProblem } from './errors.ts';

const refused = (name: string, status: number, message = 'no') =>
  new EC2ServiceException({ name, $fault: 'client', message, $metadata: { httpStatusCode: status, requestId: 'r-1' } });
const broken = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

describe('what an exception of an AWS client says', () => {
  test('an answer of AWS has a code, a status and a request, and was answered', () => {
    expect(awsProblem(refused('InsufficientInstanceCapacity', 500))).toEqual({
      code: 'InsufficientInstanceCapacity',
      text: 'no',
      status: 500,
      requestId: 'r-1',
      answered: true,
      sent: false,
    });
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])('nothing was sent when the network says %s', (code) => {
    expect(awsProblem(broken(code))).toMatchObject({ sent: false, answered: false, code });
    expect(awsProblem(new AggregateError([broken(code), broken('ECONNREFUSED')]))).toMatchObject({ sent: false });
  });

  test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])('it may have been sent when the network says %s', (code) => {
    expect(awsProblem(broken(code))).toMatchObject({ sent: true, answered: false });
  });

  test('a connection that never came about sent nothing, an answer that never came may have been', () => {
    const timeout = (message: string) => Object.assign(new Error(message), { name: 'TimeoutError' });
    expect(awsProblem(timeout('the request socket did not establish a connection with the server'))).toMatchObject({
      sent: false,
    });
    expect(awsProblem(timeout('the request timed out'))).toMatchObject({ sent: true });
    expect(awsProblem(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))).toMatchObject({
      sent: true,
    });
  });

  test('an answer that can not be read to its end may be of something that was done', () => {
    const cut = Object.assign(new Error('aborted'), { code: 'ECONNRESET', $response: { headers: {} } });
    expect(awsProblem(cut)).toMatchObject({ sent: true, answered: false });
  });

  test('codes of other protocols are the same codes', () => {
    const named = Object.assign(refused('x', 400), { Code: 'com.amazonaws.ssm#ParameterNotFound:http://x' });
    expect(awsProblem(named).code).toBe('ParameterNotFound');
  });

  test('without credentials nothing was sent', () => {
    const none = Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    });
    expect(awsProblem(none)).toMatchObject({ code: 'CredentialsProviderError', sent: false, answered: false });
  });

  test('what is no error at all may still have been sent', () => {
    expect(awsProblem('odd')).toEqual({ code: '', text: 'odd', answered: false, sent: true });
  });
});
