/** Answers in the shapes of ARM. */
import { defined } from '../../shared/base/defined.ts';
import type { Json } from '../../shared/base/json.ts';

export type JsonObject = { [key: string]: Json };

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Why something is not done, in the words of the one who refuses. */
export interface Problem {
  code: string;
  message: string;
  target?: string;
  subcode?: string;
  details?: Problem[];
}

export const json = (status: number, body: Json, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

export const empty = (status: number, headers: Record<string, string> = {}): Answer => ({ status, headers, body: '' });

/** As ARM itself and most resource providers have it. */
export const wrapped = (status: number, problem: Problem, headers: Record<string, string> = {}): Answer =>
  json(status, { error: problemJson(problem) }, headers);

/** As the resource provider of AKS has it: no `error` around it, and fields that are null or empty. */
export const bare = (status: number, problem: Problem, headers: Record<string, string> = {}): Answer =>
  json(
    status,
    {
      code: problem.code,
      details: problem.details?.map(problemJson) ?? null,
      message: problem.message,
      subcode: problem.subcode ?? '',
      ...defined({ target: problem.target }),
    },
    headers,
  );

export function problemJson({ code, message, target, details }: Problem): JsonObject {
  return {
    code,
    message,
    ...defined({ target }),
    ...(details === undefined ? {} : { details: details.map(problemJson) }),
  };
}

/** Whole seconds as everybody has them; what is shorter than a second needs the header in milliseconds, too. */
export function retryAfter(seconds: number | null | undefined): Record<string, string> {
  if (seconds === null || seconds === undefined) return {};
  const whole = String(Math.ceil(seconds));
  if (Number.isInteger(seconds)) return { 'retry-after': whole };
  return { 'retry-after': whole, 'x-ms-retry-after-ms': String(Math.round(seconds * 1000)) };
}
