/** Reads the body of an answer, as much of it as somebody may want and no more: its sender decides neither about our memory nor our time. */

import type { IncomingMessage } from 'node:http';
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
  let chunks: Buffer[] = [];
  let size = 0;
  const letGo = (): void => {
    budget.used -= size;
    chunks = [];
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
    chunks.push(chunk);
    size += chunk.length;
    budget.used += chunk.length;
    if (size > most) {
      end(() =>
        isError
          ? done(joined(chunks, most).toString('utf8'))
          : fail(`the answer is longer than ${most} bytes`, answerTooLong),
      );
    } else if (budget.used > budget.most) {
      end(() => fail(`the answers of this server are together longer than ${budget.most} bytes`, answerTooLong));
    }
  });
  response.on('end', () => {
    const whole = joined(chunks, size);
    letGo();
    done(whole.toString('utf8'));
  });
  response.on('error', (error) => {
    letGo();
    fail(`the answer broke off: ${errorText(error)}`);
  });
  response.on('close', letGo);
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only.subarray(0, size) : Buffer.concat(chunks, size);
}
