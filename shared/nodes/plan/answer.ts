/** What a plan says, and how a choice is told in it. */

import { defined } from '../../base/defined.ts';
import type { Problem } from '../../base/problems.ts';
import { nearestChange } from '../claims/choice/nearest-change.ts';
import { hoursPerMonth, type Offering, type OfferingRef, offeringRef } from '../claims/choice/offerings.ts';
import type { Chosen } from '../offerings/pick-offering.ts';
import type { PlannedQuota } from './quota.ts';

export type PricedOffering = OfferingRef & { pricePerHour?: number };

export interface PlanAnswer {
  outcome: 'launch' | 'wait' | 'impossible' | 'not-ours' | 'invalid';
  /** In words, and as the condition would have it. */
  why?: string;
  code?: string;
  kind?: string;
  name?: string;
  provider?: string;
  nodeClass?: string;
  /** How many machines would be made; absent for a pool that pods decide about. */
  count?: number;
  chosen?: PricedOffering;
  /** What is tried next if the chosen one can't be had after all. */
  runnerUp?: PricedOffering;
  /** Best first; the first few of `candidateCount`. */
  candidates: PricedOffering[];
  candidateCount: number;
  /** So many others the cloud may take instead of the chosen one. */
  alternatives?: number;
  rejections: { instanceType: string; kind: string; reason: string; requirement?: string }[];
  nearestChange?: string;
  quota?: PlannedQuota[];
  /** Instances of the cluster, before and after. */
  cap?: { used: number; limit: number; after: number };
  /** Of all machines together. */
  pricePerHour?: number;
  pricePerMonth?: number;
  problems?: Problem[];
  /** What is worth knowing besides. */
  hints?: string[];
  /** When what is sold out may be back, in milliseconds. */
  retryAt?: number;
}

/** A choice of which there is nothing to tell. */
export const noChoice = (): Pick<PlanAnswer, 'candidates' | 'candidateCount' | 'rejections'> => ({
  candidates: [],
  candidateCount: 0,
  rejections: [],
});

const listedCandidates = 20;
const listedRejections = 2000;

export function choiceOf({ choice, question }: Chosen, best: Offering | undefined): Omit<PlanAnswer, 'outcome'> {
  const [, second] = choice.candidates;
  const change = best ? undefined : nearestChange(question, choice);
  return {
    ...(best ? { chosen: priced(best) } : {}),
    ...(second ? { runnerUp: priced(second) } : {}),
    candidates: choice.candidates.slice(0, listedCandidates).map(priced),
    candidateCount: choice.candidates.length,
    ...(choice.alternatives.length === 0 ? {} : { alternatives: choice.alternatives.length }),
    rejections: choice.rejections.slice(0, listedRejections).map(({ instanceType, kind, reason, requirement }) => ({
      instanceType,
      kind,
      reason,
      ...defined({ requirement }),
    })),
    ...(change === undefined ? {} : { nearestChange: change.text }),
    ...(choice.retryAt === undefined || best ? {} : { retryAt: choice.retryAt }),
  };
}

const priced = (offering: Offering): PricedOffering => ({
  ...offeringRef(offering),
  ...defined({ pricePerHour: offering.price }),
});

/** Hundreds of small prices add up to a few wrong digits; nobody wants to read those. */
const rounded = (price: number, digits: number): number => Number(price.toFixed(digits));

export function pricesOf({ price }: Offering, machines: number): Pick<PlanAnswer, 'pricePerHour' | 'pricePerMonth'> {
  if (price === undefined) return {};
  const perHour = price * machines;
  return { pricePerHour: rounded(perHour, 6), pricePerMonth: rounded(perHour * hoursPerMonth, 2) };
}
