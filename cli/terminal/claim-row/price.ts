/** What a machine costs in an hour, as it was when it was launched. */
import type { ObjectMeta } from '../../../shared/base/kubernetes/object.ts';
import { annotations as known } from '../../../shared/nodes/claims/spec/well-known.ts';

/** Undefined: nobody knows. Zero is a price, though a rare one. */
export function pricePerHour({ annotations }: ObjectMeta): number | undefined {
  const text = annotations?.[known.pricePerHour];
  return text !== undefined && /^\d{1,9}(\.\d{1,12})?$/.test(text) ? Number(text) : undefined;
}
