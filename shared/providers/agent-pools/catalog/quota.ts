/**
 * Quota: how many cores Azure lets a subscription have in a location. It is looked at before a create, because a pool that
 * runs into it fails only after minutes, and with a message that names no number.
 */

import { defined } from '../../../base/defined.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { Clock } from '../../../base/runtime.ts';
import type { OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import type { FetchJson } from '../../../platforms/azure/catalog/pages.ts';
import type { Size } from '../../../platforms/azure/catalog/size.ts';
import {
  readUsages,
  regionalCores,
  spotCores,
  type Usages,
  type UsagesOptions,
} from '../../../platforms/azure/catalog/usages.ts';
import type { ProviderContext } from '../../context.ts';
import type { Quota as QuotaOf } from '../../contract.ts';
import { KeptAnswer } from '../../kept-answer.ts';
import { Reservations } from './reservations.ts';
import { quotaScope, quotaSeconds } from './unavailable.ts';

/** What quotas hold for. */
export const quotaLocation = ({ subscriptionId, location }: Omit<UsagesOptions, 'endpoint'>): string =>
  `${subscriptionId.toLowerCase()}/${location}`;

const freshSeconds = 600;
/** A refusal stops a claim for a while, so it is never spoken on figures older than this. */
const refusalSeconds = 30;
/** A core that a create has just taken may be missing in usages for so long. */
const usageLagSeconds = 120;

export class Quota {
  readonly #options: UsagesOptions;
  readonly #clock: Clock;
  readonly #usages: KeptAnswer<Usages>;
  readonly #reservations: Reservations;

  constructor(fetchJson: FetchJson, options: UsagesOptions, context: Pick<ProviderContext, 'state' | 'clock' | 'log'>) {
    const key = `azure/usages/${options.subscriptionId}/${options.location}`;
    this.#options = options;
    this.#clock = context.clock;
    this.#usages = new KeptAnswer<Usages>(context, {
      cloud: 'Azure',
      what: `quota in ${options.location}`,
      key,
      freshSeconds,
      read: (signal) => readUsages(fetchJson, options, signal),
    });
    this.#reservations = new Reservations(context, `azure/reserved/${options.subscriptionId}/${options.location}`);
  }

  /**
   * Whether there is quota for one more. What passes is set aside for its holder at once, so that a hundred claims that
   * ask together don't all pass; a holder that asks again is not counted twice.
   */
  async check(offering: OfferingRef, size: Size, holder: string, signal: AbortSignal): Promise<Result<void>> {
    const names = offering.capacityType === 'spot' ? [spotCores] : [size.family, regionalCores];
    for (const maxAge of [freshSeconds, refusalSeconds]) {
      const usages = await this.#usages.get(signal, maxAge);
      // Whoever may not read usages, or can't now, still may create: Azure itself is the judge.
      if (!usages.ok) return ok(undefined);
      const lacking = await this.#reservations.take(
        { holder, names, cores: size.quotaCores },
        usages.value.at - usageLagSeconds * 1000,
        (name, reserved) => fits(usages.value.value, name, reserved + size.quotaCores),
      );
      if (lacking === undefined) return ok(undefined);
      // Nor on old ones that nobody can renew now.
      if (this.#clock.now() - usages.value.at >= refusalSeconds * 1000) continue;
      return this.#refusal(offering, size, lacking.name, usages.value.value[lacking.name]!, lacking.reserved);
    }
    return ok(undefined);
  }

  /** What is used of each limit, by figures that may be some minutes old. A negative limit is none. */
  async all(sizes: readonly Size[], signal: AbortSignal): Promise<Result<QuotaOf[]>> {
    const usages = await this.#usages.get(signal, refusalSeconds);
    if (!usages.ok) return usages;
    const families = Map.groupBy(sizes, ({ family }) => family);
    return ok(
      Object.entries(usages.value.value).flatMap(([name, [limit, used, title]]) => {
        const counting = families.get(name);
        const counted = counting !== undefined || name === regionalCores || name === spotCores;
        if (limit < 0 || !counted) return [];
        const instanceTypes = counting?.map((size) => size.name);
        return [{ name: title, used, limit, unit: 'vCPU', ...defined({ instanceTypes }) }];
      }),
    );
  }

  close(): void {
    this.#usages.close();
  }

  #refusal(
    offering: OfferingRef,
    size: Size,
    name: string,
    [limit, used, title]: Usages[string],
    reserved: number,
  ): Result<never> {
    const { location, subscriptionId } = this.#options;
    const begun = reserved === 0 ? '' : ` and ${reserved} for instances that are being created`;
    const message =
      `the quota ${title} of subscription ${subscriptionId} in ${location} has no room for ${size.name}: ` +
      `limit ${limit}, in use ${used}${begun}, needed ${size.quotaCores}. Request an increase (Azure portal, Quotas, Compute), ` +
      'delete instances that count against it, or allow other sizes or capacity types';
    const kind = name === spotCores ? 'spot' : name === regionalCores ? 'regional' : 'family';
    return failed('quota-exceeded', message, {
      retryAfterSeconds: quotaSeconds(kind, limit),
      scope: quotaScope(kind, offering, size, quotaLocation(this.#options)),
    });
  }
}

/** A quota that usages don't name limits nothing; a negative limit is none. */
function fits(usages: Usages, name: string, cores: number): boolean {
  const [limit, used] = usages[name] ?? [-1, 0];
  return limit < 0 || used + cores <= limit;
}
