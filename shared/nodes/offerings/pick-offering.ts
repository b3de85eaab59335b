/**
 * What a claim would get right now, or why nothing. A launch asks this before it buys, and a plan asks it instead of buying: so
 * nothing is written here, no turn is taken, and nobody is told.
 */

import { spread } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { describeProblems, type Problem } from '../../base/problems.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Failure } from '../../base/result.ts';
import type { Provider } from '../../providers/contract.ts';
import type { Catalog } from '../claims/choice/catalog.ts';
import type { Choice, ChoiceInput } from '../claims/choice/choice.ts';
import { chooseOfferings } from '../claims/choice/choose.ts';
import type { Offering } from '../claims/choice/offerings.ts';
import { parseRequirements, type Requirements } from '../claims/spec/requirements.ts';
import { parseResources, type Resources } from '../claims/spec/resources.ts';
import { validateClaim } from '../claims/spec/validate-claim.ts';
import { valueSet } from '../claims/spec/value-set.ts';
import { labels } from '../claims/spec/well-known.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import type { LifecycleServices } from '../steps/services.ts';
import { catalogFor } from './catalog.ts';
import type { NodeClass } from './node-class.ts';
import { isMarked, unavailableOfferings } from './unavailable-offerings.ts';

/** The choice, with what was asked: whoever wants to say what would help asks it again with other wishes. */
export interface Chosen {
  choice: Choice;
  question: ChoiceInput;
}

export type Picked =
  | { do: 'take'; best: Offering; chosen: Chosen }
  /** The cloud does not say what it has. All but `ProviderUnavailable` is for somebody to mend. */
  | { do: 'wait'; reason: string; message: string }
  /** Nothing can be had; `problems` where the claim itself is wrong, `chosen` where there was something to choose from. */
  | { do: 'fail'; failure: Failure; reason: string; problems?: Problem[]; chosen?: Chosen };

export async function pickOffering(
  services: LifecycleServices,
  provider: Provider,
  nodeClass: NodeClass,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<Picked> {
  const wishes = wishesOf(claim);
  if (!wishes.ok) {
    const { problems } = wishes;
    // A spec does not change. Whoever makes many large claims that are wrong must not have each of them read again every second.
    const isFinal = problems.some(({ path }) => path.startsWith('spec'));
    const retryAfterSeconds = isFinal ? spread(services.settings.maxPauseSeconds, services.random) : undefined;
    const failure: Failure = {
      kind: 'invalid',
      message: describeProblems(problems),
      ...defined({ retryAfterSeconds }),
    };
    return { do: 'fail', failure, reason: 'InvalidClaim', problems };
  }
  const catalog = await catalogFor(services, provider, nodeClass, signal);
  if (!catalog.ok) {
    const { kind, message, about, reason: told } = catalog.error;
    const reason = about === 'node-class' ? 'InvalidNodeClass' : 'InvalidConfiguration';
    if (kind === 'invalid') return { do: 'fail', failure: catalog.error, reason };
    const text = `the instance types of ${provider.name} cannot be read: ${message}`;
    const usual = kind === 'unauthorised' ? 'Unauthorized' : 'ProviderUnavailable';
    return { do: 'wait', reason: told ?? usual, message: text };
  }
  const unavailable = await unavailableOfferings(services, provider.name);
  const choose = (): Chosen => {
    const question: ChoiceInput = {
      catalog: catalog.value,
      requirements: withoutUnaskedSpot(wishes.value.requirements),
      requests: withoutMadeToMeasure(wishes.value.requests, provider),
      isUnavailable: isMarked(unavailable),
      maxPriceRatio: services.settings.maxPriceRatio,
      ...fleetTraits(provider),
    };
    return { choice: chooseOfferings(question), question };
  };
  const chosen = unavailable.size === 0 ? chosenBefore(provider, catalog.value, claim, choose) : choose();
  const { choice } = chosen;
  const [best] = choice.candidates;
  if (best) return { do: 'take', best, chosen };
  const soldOut = choice.outcome === 'sold-out';
  const retryAfterSeconds =
    soldOut && choice.retryAt !== undefined ? Math.max(1, (choice.retryAt - services.clock.now()) / 1000) : undefined;
  const failure: Failure = {
    // What was refused first is what the user has to hear of, whatever became of dearer ones since.
    kind: !soldOut ? 'invalid' : choice.refusedFirst?.overQuota ? 'quota-exceeded' : 'insufficient-capacity',
    message: choice.summary,
    ...defined({ retryAfterSeconds }),
  };
  const lacking = failure.kind === 'quota-exceeded' ? 'QuotaExceeded' : 'InsufficientCapacity';
  return { do: 'fail', failure, reason: soldOut ? lacking : 'NoInstanceTypeFits', chosen };
}

/** Claims of one pool wish the same, and come by the hundred: as long as nothing is marked as unavailable, they get the same answer. */
const choices = new WeakMap<Catalog, RecentMap<string, Chosen>>();
/** A choice names every type that does not fit, so an answer from a large catalog is large. */
const choicesKept = 16;
const longestWishes = 4096;

function chosenBefore(provider: Provider, catalog: Catalog, { spec }: StoredClaim, choose: () => Chosen): Chosen {
  const { madeToMeasure } = provider.traits;
  const wishes = [spec.requirements, spec.resources?.requests, fleetTraits(provider), madeToMeasure];
  const key = JSON.stringify(wishes);
  if (key.length > longestWishes) return choose();
  const known: RecentMap<string, Chosen> = choices.get(catalog) ?? new RecentMap({ max: choicesKept });
  choices.set(catalog, known);
  const chosen = known.get(key) ?? choose();
  known.set(key, chosen);
  return chosen;
}

/** What a provider that takes one of many wants to know of a choice. */
const fleetTraits = ({ traits: { alternatives, capacityTypeOrder } }: Provider) =>
  defined({ alternatives, capacityTypeOrder });

/** A machine that can be taken away at any time is for those who asked for it. */
function withoutUnaskedSpot(requirements: Requirements): Requirements {
  if (requirements.has(labels.capacityType)) return requirements;
  return new Map([...requirements, [labels.capacityType, valueSet('NotIn', ['spot'])]]);
}

/** What is made to measure is there in any size, so no type is judged by it. */
function withoutMadeToMeasure(requests: Resources, { traits: { madeToMeasure } }: Provider): Resources {
  if (madeToMeasure === undefined) return requests;
  return new Map([...requests].filter(([name]) => !madeToMeasure.includes(name)));
}

type Wishes = { requirements: Requirements; requests: Resources };

/** What was found to be in order, by the text of its spec: claims of one pool are checked once, but for what is their own. */
const inOrder = new RecentMap<string, Wishes>({ max: 64 });

function wishesOf(claim: StoredClaim): { ok: true; value: Wishes } | { ok: false; problems: Problem[] } {
  const { spec } = claim;
  const key = JSON.stringify(spec);
  const known = inOrder.get(key);
  const problems = validateClaim(known ? { ...claim, spec: { nodeClassRef: spec.nodeClassRef } } : claim);
  // What is not even shaped like a wish can't be looked into.
  if (problems.length > 0) return { ok: false, problems };
  if (known) return { ok: true, value: known };
  const requirements = parseRequirements(spec.requirements ?? []);
  const requests = parseResources(spec.resources?.requests);
  if (!requirements.ok) return requirements;
  if (!requests.ok) return requests;
  const value = { requirements: requirements.value, requests: requests.value };
  if (key.length <= longestWishes) inOrder.set(key, value);
  return { ok: true, value };
}
