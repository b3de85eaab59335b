/** What all plans of a call come to together. */
import { perMonthText, priceText } from '../../terminal/output/values.ts';
import type { Planned } from './planned.ts';

export interface Total {
  machines: number;
  pricePerHour: number;
  pricePerMonth: number;
  /** So many machines have no known price. */
  unpriced: number;
  /** Set where all together are more than the cluster takes. */
  beyondCap?: string;
  /** The quotas that all together would exceed, in words. */
  beyondQuota: string[];
}

/** Of all that would launch, now or after a wait. */
export function totalOf(plans: readonly Planned[]): Total {
  const total: Total = { machines: 0, pricePerHour: 0, pricePerMonth: 0, unpriced: 0, beyondQuota: beyondQuota(plans) };
  for (const { chosen, count = 0, pricePerHour, pricePerMonth } of plans) {
    if (chosen === undefined) continue;
    total.machines += count;
    if (pricePerHour === undefined) total.unpriced += count;
    else if (count > 0) {
      total.pricePerHour += pricePerHour;
      total.pricePerMonth += pricePerMonth ?? 0;
    }
  }
  const cap = plans.find((one) => one.cap !== undefined)?.cap;
  const room = cap === undefined ? Number.POSITIVE_INFINITY : Math.max(0, cap.limit - cap.used);
  return total.machines > room && cap !== undefined
    ? { ...total, beyondCap: `the cluster can take ${room} more of its ${cap.limit} instances (maxInstances)` }
    : total;
}

/** Each plan counts only its own machines; of what several need from one quota, the sum counts. */
function beyondQuota(plans: readonly Planned[]): string[] {
  const needs = new Map<string, { used: number; limit: number; unit: string; added: number; plans: number }>();
  for (const { provider, chosen, quota = [] } of plans) {
    if (chosen === undefined) continue;
    for (const { name, used, limit, unit, after } of quota) {
      if (after === undefined) continue;
      const key = `${provider ?? ''}/${name}`;
      const { added = 0, plans: known = 0 } = needs.get(key) ?? {};
      needs.set(key, { used, limit, unit, added: added + after - used, plans: known + 1 });
    }
  }
  return [...needs].flatMap(([key, { used, limit, unit, added, plans: count }]) => {
    const name = key.slice(key.indexOf('/') + 1);
    return count < 2 || used + added <= limit
      ? []
      : [`${name} has ${used} of ${limit} ${unit} in use, and ${used + added} would exceed the quota`];
  });
}

export function totalText({
  machines,
  pricePerHour,
  pricePerMonth,
  unpriced,
  beyondCap,
  beyondQuota: quota,
}: Total): string {
  const things = `${machines} machine${machines === 1 ? '' : 's'}`;
  const unknown = unpriced === 0 ? '' : ` and ${unpriced} with unknown prices`;
  const price =
    unpriced === machines && machines > 0
      ? 'price unknown'
      : `${priceText(pricePerHour)}, ${perMonthText(pricePerMonth)}${unknown}`;
  return [`${things}, ${price}`, ...(beyondCap === undefined ? [] : [beyondCap]), ...quota].join('; ');
}
