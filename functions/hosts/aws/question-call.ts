/** How the HTTP function asks another function a question, and how that one reads it. */

import type { Json } from '../../../shared/base/json.ts';
import type { Result } from '../../../shared/base/result.ts';

export interface QuestionCall {
  question: string;
  input: Json;
}

/** Undefined: it is something else, such as a step. */
export function readQuestionCall(event: unknown): QuestionCall | undefined {
  if (typeof event !== 'object' || event === null || !('question' in event) || !('input' in event)) return undefined;
  const { question, input } = event;
  return typeof question === 'string' ? { question, input: input as Json } : undefined;
}

/** @throws if it is no answer: what it says then is for the log. */
export function readAnswer(name: string, text: string): Result<unknown> {
  const answer: unknown = JSON.parse(text || 'null');
  if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
    if (answer.ok === true && 'value' in answer) return answer as Result<unknown>;
    if (answer.ok === false && 'error' in answer) return answer as Result<unknown>;
  }
  throw new Error(`function ${name} did not answer a question`);
}
