/** What goes into a choice of offerings, and what comes out. */

import type { Requirements } from '../spec/requirements.ts';
import type { Resources } from '../spec/resources.ts';
import type { CapacityType } from '../spec/well-known.ts';
import type { Catalog, CatalogType } from './catalog.ts';
import type { Offering } from './offerings.ts';

/** Says that an offering is passed over for now, why, and until when (milliseconds). */
export interface UnavailableMark {
  reason?: string;
  until?: number;
  /** A limit of the account refuses it, and not the stock of the cloud. */
  quota?: true;
}

export interface ChoiceInput {
  catalog: Catalog;
  requirements: Requirements;
  requests?: Resources;
  /** What we have learned besides what the provider says; `key` is the offering's `offeringKey`. */
  isUnavailable?: (offering: Offering, key: string, type: CatalogType) => UnavailableMark | undefined;
  /** `BestEffort` goes on with fewer values than minValues asks for, and says so. */
  minValuesPolicy?: 'Strict' | 'BestEffort';
  /** Capacity types are tried in this order, and by price within one; without it, by price alone. */
  capacityTypeOrder?: readonly CapacityType[];
  /** So many further candidates one request may name beside the best. */
  alternatives?: number;
  /** Nothing is taken that costs more than so many times the cheapest that fits. Absent or 0: no limit. */
  maxPriceRatio?: number;
}

/** Why one instance type is not among the candidates. */
export interface Rejection {
  instanceType: string;
  kind: 'requirement' | 'resource' | 'sold-out' | 'min-values' | 'price';
  reason: string;
  /** The label key or resource name that the first reason is about. */
  requirement?: string;
  /** With `sold-out`: when the first of its offerings may be back. */
  until?: number;
  /** With `requirement` and `resource`: what the reason is made of. */
  misfits?: readonly Misfit[];
}

/** How many types one wish of the claim excludes, each counted by itself. */
export interface Exclusion {
  kind: 'label' | 'undefined-label' | 'resource';
  key: string;
  excluded: number;
}

export interface Choice {
  outcome: 'available' | 'sold-out' | 'impossible';
  /** Offerings to try, best first: available, by capacity type where there is an order, by price, unknown prices last. */
  candidates: Offering[];
  /** Those that may be asked for together with the best candidate, in the same order. */
  alternatives: Offering[];
  /** What would serve but can't be had now, what may be back first in front; with reason and time where known. */
  soldOut: Offering[];
  /** Of these the one that would have been taken first: what is said of it is what the user should hear first. */
  refusedFirst?: Offering;
  /** How many would serve and can be had, but cost too much or have no known price, and up to which price per hour one is taken. */
  tooDear?: { offerings: number; ceiling?: number };
  rejections: Rejection[];
  exclusions: Exclusion[];
  minValuesRelaxed: boolean;
  /** When the first sold-out offering may be back. */
  retryAt?: number;
  /** For the claim's condition: bounded in length. */
  summary: string;
}

/** One reason why a type does not fit. */
export interface Misfit {
  kind: Exclusion['kind'];
  key: string;
  reason: string;
  /** Of a label that the type has: what was wanted instead. */
  wanted?: string;
}
