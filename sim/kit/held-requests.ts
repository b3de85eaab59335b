/** Requests that a fault leaves without an answer, and who waits to hear that there are so many of them. */
import type { ServerResponse } from 'node:http';

const defaultHoldMs = 60_000;

export class HeldRequests {
  #ever = 0;
  #waiting: { count: number; resolve: () => void }[] = [];

  /** The connection stays silent for so long and is then cut. */
  hold(response: ServerResponse, milliseconds = defaultHoldMs): void {
    const timer = setTimeout(() => response.destroy(), milliseconds);
    timer.unref();
    response.once('close', () => clearTimeout(timer));
    this.#ever++;
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.#ever < count) return true;
      resolve();
      return false;
    });
  }

  /** Resolves when so many requests, counted from the start, were left without an answer. */
  reached(count: number): Promise<void> {
    if (this.#ever >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}
