/** What a management server answered, out of its envelope: `{ "listzonesresponse": { … } }`. */
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { HttpResponse } from '../../net/http-client.ts';

/** An error as CloudStack writes it, in the answer to a command and in the result of a job. */
export interface CloudStackProblem {
  /** Such as 431 or 533; also the HTTP status of an answer. */
  code: number;
  text: string;
  /** Tells exceptions of the server apart; for support. */
  inner?: number;
}

export type Opened =
  | { got: 'value'; value: JsonObject }
  | { got: 'problem'; problem: CloudStackProblem }
  /** Something else answered: a proxy, a login page, another product. */
  | { got: 'foreign' };

export function openAnswer(answer: Pick<HttpResponse, 'status' | 'json'>): Opened {
  const inside = insideOf(answer.json());
  if (inside === undefined) return { got: 'foreign' };
  const problem = problemIn(inside);
  if (problem !== undefined) return { got: 'problem', problem };
  return answer.status >= 200 && answer.status < 300 ? { got: 'value', value: inside } : { got: 'foreign' };
}

/** The one field of the envelope. Its name is the command in lower case with "response", or "errorresponse". */
function insideOf(body: Json | undefined): JsonObject | undefined {
  if (!isObject(body)) return undefined;
  const [name = '', ...more] = Object.keys(body);
  const inside = body[name];
  return more.length === 0 && /response$/i.test(name) && isObject(inside) ? inside : undefined;
}

/** Undefined where there is none. */
export function problemIn(content: Json | undefined): CloudStackProblem | undefined {
  if (!isObject(content)) return undefined;
  const { errorcode, errortext, cserrorcode } = content;
  if (errorcode === undefined && errortext === undefined) return undefined;
  return {
    code: Number(errorcode ?? 0),
    text: typeof errortext === 'string' ? errortext : '',
    ...(typeof cserrorcode === 'number' ? { inner: cserrorcode } : {}),
  };
}

/** The items of a list: the one field that is a list. An empty list comes without one. */
export function itemsIn<T>(value: JsonObject): T[] {
  const list = Object.values(value).find((field): field is Json[] => Array.isArray(field));
  return (list ?? []) as T[];
}
