/**
 * The instance types of a provider, ready to choose from. They are the same for every claim of a node class, so one
 * answer serves many claims, and claims that ask at the same moment share one question.
 */

import { failed, ok, type Result } from '../../base/result.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Provider } from '../../providers/contract.ts';
import { type Catalog, compileCatalog } from '../claims/choice/catalog.ts';
import type { LifecycleServices } from '../steps/services.ts';
import type { NodeClass } from './node-class.ts';

interface Known {
  at: number;
  answer: Promise<Result<Catalog>>;
  /** Once it is there: then nobody has to wait. */
  settled?: Result<Catalog>;
}

const caches = new WeakMap<Provider, Map<string, Known>>();
const maxNodeClasses = 200;
/** One question may take so long, whoever waits for it. */
const questionMs = 120_000;

export async function catalogueFor(
  services: LifecycleServices,
  provider: Provider,
  nodeClass: NodeClass,
  signal: AbortSignal,
  options: { refresh?: boolean } = {},
): Promise<Result<Catalog>> {
  const cache = caches.get(provider) ?? new Map<string, Known>();
  caches.set(provider, cache);
  const key = `${nodeClass.name}/${JSON.stringify(nodeClass.spec)}`;
  const now = services.clock.now();
  const known = cache.get(key);
  const serves = known && !options.refresh && now - known.at < services.settings.catalogueSeconds * 1000;
  if (serves && known.settled) return known.settled;
  if (signal.aborted) return stopped(provider);
  const asked = serves ? known : ask(cache, key, provider, nodeClass, now);
  return (await untilAborted(asked.answer, signal)) ?? stopped(provider);
}

/** By itself: whoever asked first may be a person who goes away, and launches wait for the same answer. */
function ask(cache: Map<string, Known>, key: string, provider: Provider, nodeClass: NodeClass, at: number): Known {
  const before = cache.get(key);
  const answered = async (): Promise<Result<Catalog>> => {
    const { name, spec } = nodeClass;
    let answer: Result<Catalog> | undefined;
    try {
      const types = await provider.instanceTypes({ name, spec }, AbortSignal.timeout(questionMs));
      answer = types.ok ? ok(compileCatalog(types.value)) : types;
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
  if (cache.size >= maxNodeClasses) cache.clear();
  cache.set(key, asked);
  return asked;
}

const stopped = ({ name }: Provider): Result<never> =>
  failed('unavailable', `provider ${name} was not waited for: whoever asked has gone`);
