/** Reads a body line by line, as fast as its reader can take it, until it ends, falls silent or breaks. */

import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { errorText } from '../base/error-text.ts';

export interface LineStreamOptions {
  /** A connection over which nothing has come for so long is taken for dead. */
  idleMs: number;
  /** A longer line ends the stream: nobody sends one in good faith. */
  maxLineBytes?: number;
  /** Once it fires, no further line is handed over, not even one that has arrived already. */
  signal: AbortSignal;
}

/** `reader-failed`: the callback threw; the error is handed on, never swallowed. */
export type LineStreamEnd =
  | { end: 'closed' | 'idle' | 'aborted' }
  | { end: 'broken'; message: string }
  | { end: 'reader-failed'; error: unknown };

/** An object of a cluster has at most a few: etcd takes 1.5. */
const defaultMaxLineBytes = 8 * 1024 * 1024;

/**
 * While the reader's promise is pending nothing more is read, so the sender is slowed down and memory stays bounded. Never
 * rejects. The caller destroys the connection afterwards.
 */
export async function readLines(
  body: IncomingMessage,
  options: LineStreamOptions,
  onLine: (line: string) => void | Promise<void>,
): Promise<LineStreamEnd> {
  const maxLine = options.maxLineBytes ?? defaultMaxLineBytes;
  // A character of several bytes may be cut by a chunk's edge; the decoder keeps its first half.
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let idle = false;
  const fallSilent = (): void => {
    idle = true;
    body.destroy();
  };
  let timer = setTimeout(fallSilent, options.idleMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      const text = decoder.write(chunk);
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        const line = rest + text.slice(from, at);
        rest = '';
        from = at + 1;
        if (line.trim() === '') continue;
        try {
          const pending = onLine(line);
          if (pending !== undefined) await pending;
        } catch (error) {
          return { end: 'reader-failed', error };
        }
        if (options.signal.aborted) return { end: 'aborted' };
        // The connection broke while the reader was busy. What it had brought may be stale by now, and comes again.
        if (body.errored !== null) return { end: 'broken', message: body.errored.message };
      }
      rest += text.slice(from);
      if (rest.length > maxLine) return { end: 'broken', message: `a line is longer than ${maxLine} bytes` };
      timer = setTimeout(fallSilent, options.idleMs);
    }
    if (idle) return { end: 'idle' };
    // Half a line at the end means that the sender was cut off, however politely the connection was closed.
    return rest.trim() === '' ? { end: 'closed' } : { end: 'broken', message: 'the last line is incomplete' };
  } catch (error) {
    if (idle) return { end: 'idle' };
    return { end: 'broken', message: errorText(error) };
  } finally {
    clearTimeout(timer);
  }
}
