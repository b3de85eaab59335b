/** The one socket of the stand-in: plain http, for all services and for the controls. */
import type { Ids } from '../../shared/base/runtime.ts';
import { answered, decodePath, parseJson, StandInServer } from '../kit/server.ts';
import type { AwsApi } from './api.ts';
import { type ControlParts, control } from './control.ts';
import { type Answer, plain } from './wire/answer.ts';

interface ServerParts {
  api: AwsApi;
  control: ControlParts;
  ids: Ids;
  /** Real milliseconds before each answer. */
  latencyMs: number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export function createAwsServer({ api, control: parts, ids, latencyMs, log }: ServerParts): StandInServer<Answer> {
  return new StandInServer<Answer>({
    latencyMs,
    log,
    refusals: {
      foreignHost: plain(403, { message: 'the stand-in for AWS only accepts requests to localhost' }),
      tooLarge: plain(413, { message: 'the body is too large' }),
      broken: plain(500, { message: 'the stand-in for AWS is broken' }),
    },
    toHttp: ({ status, contentType, body }) => ({
      status,
      headers: { 'content-type': contentType, 'x-amzn-requestid': ids.next() },
      body,
    }),
    reply: ({ method, path: sent, query, headers, body }) => {
      const path = decodePath(sent);
      // What is signed is meant for AWS, whatever its path.
      if (headers.authorization === undefined) {
        const controlled = control(parts, method, path, query, parseJson(body));
        if (controlled !== undefined) return answered(controlled);
      }
      return api.handle({ method, path, headers, body });
    },
  });
}
