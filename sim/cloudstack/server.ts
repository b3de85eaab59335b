/** The one socket of the stand-in: `/client/api`, and the controls. */
import type { KeyAndCertificate } from '../kit/self-signed.ts';
import { answered, decodePath, parseJson, StandInServer } from '../kit/server.ts';
import type { CloudStackApi } from './api.ts';
import { type ControlParts, control } from './control.ts';
import { type Answer, answerOf, plain } from './wire/answer.ts';
import { fieldsOf } from './wire/fields.ts';

interface ServerParts {
  api: CloudStackApi;
  control: ControlParts;
  /** Real milliseconds before each answer. */
  latencyMs: number;
  certificate: KeyAndCertificate | undefined;
  /** The server's own time, by which signatures expire; clients learn it from the header of an answer. */
  now: () => number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export const apiPath = '/client/api';

/** User data of 1 MiB, as a form has it. */
const largestBody = 4 * 1024 * 1024;

export function createCloudStackServer(parts: ServerParts): StandInServer<Answer> {
  const { api, control: controls, latencyMs, certificate, now, log } = parts;
  return new StandInServer<Answer>({
    latencyMs,
    log,
    largestBody,
    ...(certificate === undefined ? {} : { certificate }),
    refusals: {
      foreignHost: plain(403, { message: 'the stand-in for CloudStack only accepts requests to localhost' }),
      tooLarge: plain(413, { message: 'the body is too large' }),
      broken: answerOf(530, undefined, { uuidList: [], errorcode: 530, errortext: 'the stand-in is broken' }, 'json'),
    },
    toHttp: ({ status, contentType, body }) => ({
      status,
      headers: { 'content-type': contentType, 'x-description': 'stand-in', date: new Date(now()).toUTCString() },
      body,
    }),
    reply: ({ method, path: sent, query, headers, body }) => {
      const path = decodePath(sent);
      if (path === apiPath) {
        const isForm = headers['content-type']?.includes('application/x-www-form-urlencoded') === true;
        return api.handle({ method, fields: fieldsOf(query, new URLSearchParams(isForm ? body : '')) });
      }
      return answered(
        control(controls, method, path, query, parseJson(body)) ?? plain(404, { message: 'there is nothing here' }),
      );
    },
  });
}
