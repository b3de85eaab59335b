/** One GET of a URL, and its JSON: for what is read of Azure without a client of its own. */

import { errorText } from '../../base/error-text.ts';
import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type ArmAnswer, type ArmProblem, problemsIn } from './arm-error.ts';
import type { AzureConnection } from './connection.ts';
import { failureOf, notUnderstood } from './errors.ts';

export type GetJson = (url: string, signal: AbortSignal) => Promise<Result<Json>>;

/** With our token, so ARM only: any other host is refused as `invalid`, unasked. */
export const armJson =
  (connection: AzureConnection, what: string): GetJson =>
  async (url, signal) =>
    jsonOf(await getFromArm(connection, url, signal), what, connection);

/** Of something that may not be there: also where its group is not, which is else a mistake of the configuration. */
export const armResource =
  (connection: AzureConnection, what: string): GetJson =>
  async (url, signal) => {
    const answer = await getFromArm(connection, url, signal);
    const isAbsent = answer.ok && answer.value.status === 404 && problemsIn(answer.value.body).some(saysAbsent);
    return isAbsent ? failed('not-found', `${what} is not there`) : jsonOf(answer, what, connection);
  };

/** A wrong subscription or an unknown type is no proof that something is gone. */
const saysAbsent = ({ code }: ArmProblem): boolean => /^Resource(Group)?NotFound$/i.test(code);

/** One GET of ARM, by whatever URL it gave us. */
export function getFromArm(connection: AzureConnection, url: string, signal: AbortSignal): Promise<Result<ArmAnswer>> {
  return connection.exchange(false, async ({ pipeline, httpClient }) => {
    const { createPipelineRequest } = await import('@azure/core-rest-pipeline');
    return pipeline.sendRequest(httpClient, createPipelineRequest({ url, method: 'GET', abortSignal: signal }));
  });
}

/** Without any token: the retail prices are open to everybody. */
export const publicJson =
  (connection: AzureConnection, what: string): GetJson =>
  async (url, signal) => {
    const { httpClient } = await connection.parts();
    const { createPipelineRequest } = await import('@azure/core-rest-pipeline');
    try {
      const request = createPipelineRequest({ url, method: 'GET', abortSignal: signal });
      const { status, headers, bodyAsText } = await httpClient.sendRequest(request);
      const answer: ArmAnswer = { status, headers: headers.toJSON(), body: parse(bodyAsText) };
      return jsonOf(ok(answer), what, connection);
    } catch (error) {
      return failed('unavailable', `${what}: ${errorText(error)}`);
    }
  };

function jsonOf(answer: Result<ArmAnswer>, what: string, { clock }: AzureConnection): Result<Json> {
  if (!answer.ok) return answer;
  const asked = { write: false, what };
  const { status, body } = answer.value;
  if (status < 200 || status > 299) return { ok: false, error: failureOf(answer.value, asked, clock) };
  return body === undefined ? { ok: false, error: notUnderstood(answer.value, asked, 'it is no JSON') } : ok(body);
}

function parse(text: string | null | undefined): Json | undefined {
  try {
    return text ? (JSON.parse(text) as Json) : undefined;
  } catch {
    return undefined;
  }
}
