/** What node classes resolve to, remembered for a minute: pools ask each time they are looked at. */

import type { Json } from '../../base/json.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Result } from '../../base/result.ts';
import type { Provider, ResolvedNodeClass } from '../../providers/contract.ts';
import type { LifecycleServices } from '../steps/services.ts';

const freshMs = 60_000;
const caches = new WeakMap<Provider, RecentMap<string, { at: number; resolved: ResolvedNodeClass }>>();

/** Undefined when the provider has nothing to say about its node classes. */
export async function resolveNodeClass(
  services: LifecycleServices,
  provider: Provider,
  nodeClass: { name: string; spec: Json },
  signal: AbortSignal,
  options: { askProvider?: boolean } = {},
): Promise<Result<ResolvedNodeClass> | undefined> {
  if (!provider.resolveNodeClass) return undefined;
  const cache = caches.get(provider) ?? new RecentMap({ max: 500 });
  caches.set(provider, cache);
  const key = `${nodeClass.name}/${JSON.stringify(nodeClass.spec)}`;
  const now = services.clock.now();
  const known = cache.get(key);
  if (known && !options.askProvider && now - known.at < freshMs) return { ok: true, value: known.resolved };
  const answer = await provider.resolveNodeClass(nodeClass, signal);
  if (answer.ok) cache.set(key, { at: now, resolved: answer.value });
  return answer;
}
