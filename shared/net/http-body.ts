/** Reads the body of an answer, as much of it as somebody may want and no more: its sender decides neither about our memory nor our time. */

import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { errorText } from '../base/error-text.ts';

/** The code of an answer that was longer than it may be. */
export const answerTooLong = 'ANSWER_TOO_LONG';

/** What the bodies that are being read at the same moment have together. */
export interface BodyBudget {
  used: number;
  readonly most: number;
}

export interface BodyLimits {
  /** Of an answer that is a success. */
  maxBytes: number;
  budget: BodyBudget;
}

/** An error is for people, who read its beginning. */
const mostErrorBytes = 256 * 1024;

/** @param fail Gets a code where there is one. What was read up to then is let go. */
export function readBody(
  response: IncomingMessage,
  { maxBytes, budget }: BodyLimits,
  done: (text: string) => void,
  fail: (reason: string, code?: string) => void,
): void {
  const isError = (response.statusCode ?? 0) >= 300;
  const most = isError ? Math.min(mostErrorBytes, maxBytes) : maxBytes;
  // As text at once: buffers of many megabytes are memory that the system's allocator keeps when they are gone.
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let size = 0;
  const letGo = (): void => {
    budget.used -= size;
    parts = [];
    size = 0;
  };
  const end = (how: () => void): void => {
    how();
    letGo();
    response.destroy();
  };

  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    // Nobody asked for it, and what a few bytes unpack to has no bound. Of an error the status says enough.
    end(() => (isError ? done('') : fail(`the answer is compressed (${encoding.slice(0, 20)})`)));
    return;
  }
  response.on('data', (chunk: Buffer) => {
    if (response.destroyed) return;
    size += chunk.length;
    budget.used += chunk.length;
    parts.push(decoder.write(size > most ? chunk.subarray(0, most - size) : chunk));
    if (size > most) {
      end(() => (isError ? done(parts.join('')) : fail(`the answer is longer than ${most} bytes`, answerTooLong)));
    } else if (budget.used > budget.most) {
      end(() => fail(`the answers of this server are together longer than ${budget.most} bytes`, answerTooLong));
    }
  });
  response.on('end', () => {
    const text = parts.join('') + decoder.end();
    letGo();
    done(text);
  });
  response.on('error', (error) => {
    letGo();
    fail(`the answer broke off: ${errorText(error)}`);
  });
  response.on('close', letGo);
}
