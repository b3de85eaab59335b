/** What the machines of a cluster's claims cost together. A price that is not known is no price of 0: it is counted apart. */
import { knownPrice } from '../claims/choice/offerings.ts';
import type { NodeClaim } from '../claims/spec/types.ts';
import { annotations } from '../claims/spec/well-known.ts';

export class ClaimsCost {
  perHour = 0;
  unknown = 0;

  /** Claims without a machine cost nothing yet. */
  add({ metadata, status }: Pick<NodeClaim, 'metadata' | 'status'>): void {
    if (!status?.providerID) return;
    const text = metadata.annotations?.[annotations.pricePerHour];
    // Anybody may have written it: only a plain decimal number counts.
    const price = text !== undefined && /^\d+(\.\d+)?$/.test(text) ? knownPrice(Number(text)) : undefined;
    if (price === undefined) this.unknown += 1;
    else this.perHour += price;
  }

  /** A list begins anew. */
  clear(): void {
    this.perHour = 0;
    this.unknown = 0;
  }
}
