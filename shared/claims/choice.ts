/** What goes into a choice of offerings, and what comes out. */
import type { Catalog, CatalogType } from './catalog.ts';
import type { Offering } from './offerings.ts';
import type { Requirements } from './requirements.ts';
import type { Resources } from './resources.ts';

/** Says that an offering is passed over for now, why, and until when (milliseconds). */
export interface UnavailableMark {
  reason?: string;
  until?: number;
}

export interface ChoiceInput {
  catalog: Catalog;
  requirements: Requirements;
  requests?: Resources;
  /** What we have learnt besides what the provider says; `key` is the offering's `offeringKey`. */
  isUnavailable?: (offering: Offering, key: string, type: CatalogType) => UnavailableMark | undefined;
  /** `BestEffort` goes on with fewer values than minValues asks for, and says so. */
  minValuesPolicy?: 'Strict' | 'BestEffort';
}

/** Why one instance type is not among the candidates. */
export interface Rejection {
  instanceType: string;
  kind: 'requirement' | 'resource' | 'sold-out' | 'min-values';
  reason: string;
  /** The label key or resource name that the first reason is about. */
  requirement?: string;
  /** With `sold-out`: when the first of its offerings may be back. */
  until?: number;
}

/** How many types one wish of the claim excludes, each counted by itself. */
export interface Exclusion {
  kind: 'label' | 'undefined-label' | 'resource';
  key: string;
  excluded: number;
}

export interface Choice {
  outcome: 'available' | 'sold-out' | 'impossible';
  /** Offerings to try, best first: available, by price, spot before on-demand, unknown prices last. */
  candidates: Offering[];
  /** What would serve but can't be had now, what may be back first in front; with reason and time where known. */
  soldOut: Offering[];
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
}
