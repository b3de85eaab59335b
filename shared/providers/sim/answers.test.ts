import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { manualClock } from '../../base/runtime.ts';
import type { HttpAnswer } from '../../net/http-client.ts';
import { type Access, readAnswer } from './answers.ts';

const schema = z.object({ id: z.string() });
const read = (answer: HttpAnswer, access: Access) => {
  const result = readAnswer(answer, access, schema, manualClock());
  return result.ok ? 'ok' : result.error.kind;
};
const answered = (status: number, body: unknown): HttpAnswer => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { ok: true, status, headers: {}, text, json: () => (typeof body === 'string' ? undefined : JSON.parse(text)) };
};
const silent = (sent: boolean): HttpAnswer => ({ ok: false, sent, aborted: false, timedOut: true, message: 'silence' });
const problem = (code: string, more: object = {}) => ({ error: { code, message: 'x', ...more } });

describe('answers of the simulated cloud', () => {
  test.each<[string, HttpAnswer, string, string]>([
    ['what was asked for', answered(200, { id: 'i' }), 'ok', 'ok'],
    ['silence after it was sent', silent(true), 'unavailable', 'outcome-unknown'],
    ['silence before it was sent', silent(false), 'unavailable', 'unavailable'],
    ['a success without sense', answered(200, {}), 'unavailable', 'outcome-unknown'],
    ['a success that is no JSON', answered(200, '<html>'), 'unavailable', 'outcome-unknown'],
    ['a server error', answered(500, problem('InternalError')), 'unavailable', 'outcome-unknown'],
    ['a server error without a body', answered(502, ''), 'unavailable', 'outcome-unknown'],
    ['one that did nothing', answered(503, problem('X', { nothingDone: true })), 'unavailable', 'unavailable'],
    ['a redirection', answered(302, ''), 'unavailable', 'outcome-unknown'],
    ['throttling', answered(429, ''), 'throttled', 'throttled'],
    ['an operation in progress', answered(409, problem('OperationInProgress')), 'conflict', 'conflict'],
    ['a conflict without a code', answered(409, ''), 'conflict', 'conflict'],
    ['sold out', answered(422, problem('InsufficientCapacity')), 'insufficient-capacity', 'insufficient-capacity'],
    ['no quota, which is also a 403', answered(403, problem('QuotaExceeded')), 'quota-exceeded', 'quota-exceeded'],
    ['no right', answered(403, problem('Forbidden')), 'unauthorised', 'unauthorised'],
    ['no login', answered(401, ''), 'unauthorised', 'unauthorised'],
    ['a bad request', answered(400, problem('InvalidRequest')), 'invalid', 'invalid'],
    ['no such instance', answered(404, problem('InstanceNotFound')), 'not-found', 'not-found'],
    ["somebody's 404 page", answered(404, '<html>'), 'unavailable', 'unavailable'],
    ['other tags', answered(412, problem('TagMismatch')), 'invalid', 'invalid'],
  ])('%s', (_, answer, ofRead, ofWrite) => {
    expect(read(answer, 'read')).toBe(ofRead);
    expect(read(answer, 'write')).toBe(ofWrite);
  });
});
