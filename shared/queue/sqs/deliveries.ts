/**
 * What this process knows of the messages it received. SQS answers a delete with success whatever the receipt is, and keeps
 * no reason with a message that is given back; both would be lost without this memory. Another process knows nothing of
 * it: there a late settlement may do nothing unseen, and a reason may be missing, which costs no message.
 */
import { RecentMap } from '../../base/recent-map.ts';
import type { Message } from '../contract.ts';

const remembered = 10_000;

export class Deliveries {
  /** The newest receipt of each message, and until when it holds. */
  readonly #newest = new RecentMap<string, { receipt: string; until: number }>({ max: remembered });
  readonly #settled = new RecentMap<string, true>({ max: remembered });
  readonly #failures = new RecentMap<string, string>({ max: remembered });

  received({ id, receipt }: Message, until: number): void {
    this.#newest.set(id, { receipt, until });
  }

  /** Not settled yet, and as far as we know not delivered again. */
  isOpen({ id, receipt }: Message): boolean {
    const newest = this.#newest.get(id);
    return !this.#settled.has(receipt) && (newest === undefined || newest.receipt === receipt);
  }

  /** Its time is over by our clock: somebody else may have it. */
  isOverdue({ id, receipt }: Message, now: number): boolean {
    const newest = this.#newest.get(id);
    return newest?.receipt === receipt && newest.until <= now;
  }

  /** Before the request, so that of two settlements at once one is refused. False: it is refused. */
  settle(message: Message): boolean {
    if (!this.isOpen(message)) return false;
    this.#settled.set(message.receipt, true);
    return true;
  }

  /** The request failed: it may be tried again. */
  reopen({ receipt }: Message): void {
    this.#settled.delete(receipt);
  }

  extended({ id, receipt }: Message, until: number): void {
    if (this.#newest.get(id)?.receipt === receipt) this.#newest.set(id, { receipt, until });
  }

  /** The last failure that was named, this one included. */
  failureOf({ id }: Message, reason: string | undefined): string | undefined {
    if (reason !== undefined) this.#failures.set(id, reason);
    return reason ?? this.#failures.get(id);
  }

  /** It comes again only as a new message. */
  gone({ id }: Message): void {
    this.#failures.delete(id);
  }
}
