/** Every question that an HTTP function has about providers. What goes in and comes out is said by the answers' own types. */
import type { AdoptClaimInput, AdoptClaimOutput } from './answers/adopt-claim.ts';
import type { CheckProviderInput, CheckProviderOutput } from './answers/check-provider.ts';
import type { ListInstancesInput, ListInstancesOutput } from './answers/list-instances.ts';
import type { ListOfferingsInput, ListOfferingsOutput } from './answers/list-offerings.ts';
import type { PlanInput, PlanOutput } from './answers/plan.ts';
import type { Question } from './provider-questions.ts';

export const checkProvider: Question<CheckProviderInput, CheckProviderOutput> = {
  name: 'check-provider',
  load: async () => (await import('./answers/check-provider.ts')).answerCheckProvider,
};

export const listInstances: Question<ListInstancesInput, ListInstancesOutput> = {
  name: 'list-instances',
  load: async () => (await import('./answers/list-instances.ts')).answerListInstances,
};

export const listOfferings: Question<ListOfferingsInput, ListOfferingsOutput> = {
  name: 'list-offerings',
  load: async () => (await import('./answers/list-offerings.ts')).answerListOfferings,
};

/** Which provider it would be is part of the answer, so whoever reads every cloud gives it. */
export const plan: Question<PlanInput, PlanOutput> = {
  name: 'plan',
  load: async () => (await import('./answers/plan.ts')).answerPlan,
};

/** The one question whose answer changes something; with `dryRun` it does not. */
export const adoptClaim: Question<AdoptClaimInput, AdoptClaimOutput> = {
  name: 'adopt-claim',
  load: async () => (await import('./answers/adopt-claim.ts')).answerAdoptClaim,
};

/** By name, for hosts where a question comes from another function. */
export function questionNamed(name: string): Question<never, unknown> | undefined {
  return all.find((question) => question.name === name);
}

const all: readonly Question<never, unknown>[] = [adoptClaim, checkProvider, listInstances, listOfferings, plan];
