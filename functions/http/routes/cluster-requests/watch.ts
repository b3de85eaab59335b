/**
 * Waiting for a request to change. A store has no watch of its own, and a request changes a few times in ten minutes, so it is read again
 * and again; how many may wait is bounded.
 */
import type { Result } from '../../../../shared/base/result.ts';
import { pause, systemTimers, type Timers } from '../../../../shared/base/timers.ts';
import type { RequestName, RequestStore, StoredRequest } from '../../../../shared/clusters/store/contract.ts';

/** Gateways in front of functions give up after 29 or 30 seconds. */
export const longestPollMs = 25_000;
const lookEveryMs = 1000;
/** So that whatever is in between sees that the connection lives. */
const heartbeatMs = 15_000;
/** A stream ends, and the client opens another: a host that stops is not held up, and tokens are checked again. */
const longestStreamMs = 10 * 60_000;
export const mostWatches = 64;

export class Watches {
  #running = 0;
  readonly #timers: Timers;

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
  }

  /** Undefined: there are too many. */
  enter(): (() => void) | undefined {
    if (this.#running >= mostWatches) return undefined;
    this.#running += 1;
    let left = false;
    return () => {
      if (!left) this.#running -= 1;
      left = true;
    };
  }

  /** The request as it is when it differs from what the caller has seen, or after the longest time as it is then. */
  async poll(
    store: RequestStore,
    name: RequestName,
    seen: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<StoredRequest>> {
    for (let waited = 0; ; waited += lookEveryMs) {
      const found = await store.get(name, signal);
      const isNews = !found.ok || found.value.metadata.resourceVersion !== seen;
      if (isNews || waited >= longestPollMs || signal.aborted) return found;
      await pause(lookEveryMs, signal, this.#timers);
    }
  }

  /** Server-sent events: one for each change, and a last one when the request is gone. */
  stream(
    store: RequestStore,
    name: RequestName,
    seen: string | undefined,
    show: (request: StoredRequest) => string,
    { signal, closed }: { signal: AbortSignal; closed: () => void },
  ): ReadableStream<Uint8Array> {
    const timers = this.#timers;
    const stopped = new AbortController();
    const either = AbortSignal.any([signal, stopped.signal]);
    const encoder = new TextEncoder();
    const follow = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      let last = seen;
      for (let waited = 0, silent = 0; waited < longestStreamMs && !either.aborted; waited += lookEveryMs) {
        const found = await store.get(name, either);
        if (either.aborted) break;
        if (!found.ok && found.error.kind === 'not-found') {
          send('event: gone\ndata: {}\n\n');
          break;
        }
        const version = found.ok ? found.value.metadata.resourceVersion : last;
        if (found.ok && version !== last) {
          send(`event: request\nid: ${version}\ndata: ${show(found.value)}\n\n`);
          last = version;
          silent = 0;
        } else if (silent >= heartbeatMs) {
          send(': still here\n\n');
          silent = 0;
        } else silent += lookEveryMs;
        await pause(lookEveryMs, either, timers);
      }
    };
    return new ReadableStream<Uint8Array>({
      start(controller) {
        void follow(controller)
          .then(() => controller.close())
          .catch((error: unknown) => (stopped.signal.aborted ? undefined : controller.error(error)))
          .finally(closed);
      },
      cancel: () => stopped.abort(),
    });
  }
}
