/**
 * The instance types of a provider, ready to choose from. They are the same for every claim of a node class, so one
 * answer serves many claims, and claims that ask at the same moment share one question.
 */

import { RecentMap } from '../../base/recent-map.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Provider } from '../../providers/contract.ts';
import { type Catalog, compileCatalog } from '../claims/choice/catalog.ts';
import type { InstanceType } from '../claims/choice/offerings.ts';
import type { LifecycleServices } from '../steps/services.ts';
import type { NodeClass } from './node-class.ts';

interface Known {
  at: number;
  answer: Promise<Result<Catalog>>;
  /** Once it is there: then nobody has to wait. */
  settled?: Result<Catalog>;
}

type Cache = RecentMap<string, Known>;

const caches = new WeakMap<Provider, Cache>();
const maxNodeClasses = 200;
/** A provider that has nothing new gives the list that it gave before, and a thousand types take long to compile. */
const compiled = new WeakMap<readonly InstanceType[], Catalog>();
/** One question may take so long, whoever waits for it. */
const questionMs = 120_000;

export interface CatalogOptions {
  /** Also while an answer is fresh. The provider may still answer from what it keeps itself. */
  askProvider?: boolean;
}

export async function catalogFor(
  services: LifecycleServices,
  provider: Provider,
  nodeClass: NodeClass,
  signal: AbortSignal,
  { askProvider }: CatalogOptions = {},
): Promise<Result<Catalog>> {
  const cache: Cache = caches.get(provider) ?? new RecentMap({ max: maxNodeClasses });
  caches.set(provider, cache);
  const key = `${nodeClass.name}/${JSON.stringify(nodeClass.spec)}`;
  const now = services.clock.now();
  const known = cache.get(key);
  const serves = known && !askProvider && now - known.at < services.settings.catalogSeconds * 1000;
  if (serves && known.settled) return known.settled;
  if (signal.aborted) return stopped(provider);
  const asked = serves ? known : ask(cache, key, provider, nodeClass, now);
  return (await untilAborted(asked.answer, signal)) ?? stopped(provider);
}

/** By itself: whoever asked first may be a person who goes away, and launches wait for the same answer. */
function ask(cache: Cache, key: string, provider: Provider, nodeClass: NodeClass, at: number): Known {
  const before = cache.get(key);
  const answered = async (): Promise<Result<Catalog>> => {
    const { name, spec } = nodeClass;
    let answer: Result<Catalog> | undefined;
    try {
      const types = await provider.instanceTypes({ name, spec }, AbortSignal.timeout(questionMs));
      answer = types.ok ? ok(compile(types.value)) : types;
    } finally {
      if (answer?.ok) asked.settled = answer;
      // A cloud that can't be asked right now has not forgotten its machines.
      else if (cache.get(key) === asked) {
        if (before) cache.set(key, before);
        else cache.delete(key);
      }
    }
    return answer.ok || !before ? answer : before.answer;
  };
  const asked: Known = { at, answer: answered() };
  cache.set(key, asked);
  return asked;
}

function compile(types: readonly InstanceType[]): Catalog {
  const catalog = compiled.get(types) ?? compileCatalog(types);
  compiled.set(types, catalog);
  return catalog;
}

const stopped = ({ name }: Provider): Result<never> =>
  failed('unavailable', `the caller stopped waiting for provider ${name}`);
