/**
 * The instance types of a provider, ready to choose from. They are the same for every claim of a node class, so one
 * answer serves many claims, and claims that ask at the same moment share one question.
 */
import { type Catalog, compileCatalog } from '../claims/catalog.ts';
import { ok, type Result } from '../claims/errors.ts';
import type { Provider } from '../providers/contract.ts';
import type { NodeClass } from './node-class.ts';
import type { LifecycleServices } from './services.ts';

type Known = { at: number; answer: Promise<Result<Catalog>> };

const caches = new WeakMap<Provider, Map<string, Known>>();
const maxNodeClasses = 200;

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
  if (known && !options.refresh && now - known.at < services.settings.catalogueSeconds * 1000) return known.answer;
  const answer = provider
    .instanceTypes({ name: nodeClass.name, spec: nodeClass.spec }, signal)
    .then((types): Result<Catalog> => (types.ok ? ok(compileCatalog(types.value)) : types));
  if (cache.size >= maxNodeClasses) cache.clear();
  cache.set(key, { at: now, answer });
  const settled = await answer;
  if (settled.ok) return settled;
  // A cloud that can't be asked right now has not forgotten its machines.
  if (cache.get(key)?.answer === answer) {
    if (known) cache.set(key, known);
    else cache.delete(key);
  }
  return known ? known.answer : settled;
}
