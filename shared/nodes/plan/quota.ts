/** The quotas of the cloud that a planned machine counts against, before and after it. */

import type { Provider, Quota } from '../../providers/contract.ts';
import type { CatalogType } from '../claims/choice/catalog.ts';
import { parseQuantity, toNumber } from '../claims/spec/quantities.ts';

export interface PlannedQuota {
  name: string;
  used: number;
  limit: number;
  unit: string;
  /** Absent where nobody knows whether the machine counts against it. */
  after?: number;
}

export type QuotaAnswer = { known: true; quota: PlannedQuota[] } | { known: false; why: string };

/** Undefined: this provider can't tell. */
export async function quotaAfter(
  provider: Provider,
  type: CatalogType,
  count: number,
  signal: AbortSignal,
): Promise<QuotaAnswer | undefined> {
  if (!provider.quota) return undefined;
  const answer = await provider.quota(signal);
  if (!answer.ok) return { known: false, why: answer.error.message };
  const concerned = answer.value.filter(({ instanceTypes }) => instanceTypes?.includes(type.name) ?? true);
  return { known: true, quota: concerned.map((quota) => planned(quota, type, count)) };
}

function planned(quota: Quota, type: CatalogType, count: number): PlannedQuota {
  const { name, used, limit, unit, instanceTypes, ofAllTypes } = quota;
  // A limit on instances as such is for all of them; of any other, only those that are named surely count.
  const counts = instanceTypes !== undefined || ofAllTypes === true || unit === 'instances';
  const each = counts ? amountOf(type, unit) : undefined;
  return { name, used, limit, unit, ...(each === undefined ? {} : { after: used + each * count }) };
}

function amountOf({ capacity }: CatalogType, unit: string): number | undefined {
  if (/cpu|core/i.test(unit)) return amount(capacity.cpu, 1);
  if (unit === 'MiB') return amount(capacity.memory, mebibyte);
  if (unit === 'GPU') return amount(Object.entries(capacity).find(([name]) => /gpu/i.test(name))?.[1] ?? 0, 1);
  if (unit === 'GiB') return amount(capacity['ephemeral-storage'], gibibyte);
  return unit === 'MHz' ? undefined : 1;
}

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

function amount(written: string | number | undefined, per: number): number | undefined {
  const parsed = written === undefined ? undefined : parseQuantity(written);
  return parsed?.ok ? Math.ceil(toNumber(parsed.value) / per) : undefined;
}
