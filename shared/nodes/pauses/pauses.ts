/** Pauses: while a cluster or a provider is paused, nothing new is bought there. What is being deleted goes on. */
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';

export type PauseTarget = { kind: 'cluster' | 'provider'; name: string };

const pauseKey = ({ kind, name }: PauseTarget): string => `pause/${kind}/${name}`;

export async function pause(services: LifecycleServices, target: PauseTarget, why: string): Promise<void> {
  await services.state.put(pauseKey(target), { why: why.slice(0, 200), at: services.clock.now() });
}

export async function resume(services: LifecycleServices, target: PauseTarget): Promise<boolean> {
  return services.state.delete(pauseKey(target));
}

/** A sentence that says who is paused and why, or undefined. */
export async function pausedBy(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: string,
): Promise<string | undefined> {
  if (cluster.paused) return `cluster ${cluster.name} is paused in the configuration`;
  if (cluster.pausedProviders.has(provider)) return `provider ${provider} is paused in the configuration`;
  for (const target of [
    { kind: 'cluster', name: cluster.name },
    { kind: 'provider', name: provider },
  ] as const) {
    const entry = await services.state.get<{ why: string }>(pauseKey(target));
    if (entry) return `${target.kind} ${target.name} is paused${entry.value.why ? `: ${entry.value.why}` : ''}`;
  }
  return undefined;
}

export type Pause = PauseTarget & { why: string; at: number };

/** The pauses set at run time. Those of the configuration stand on the clusters. */
export async function listPauses({ state }: Pick<LifecycleServices, 'state'>): Promise<Pause[]> {
  const pauses: Pause[] = [];
  for (let after: string | undefined; ; ) {
    const page = await state.list<{ why: string; at: number }>('pause/', after === undefined ? {} : { after });
    for (const { key, value } of page.items) {
      const [, kind, name] = /^pause\/(cluster|provider)\/(.+)$/s.exec(key) ?? [];
      if (kind && name) pauses.push({ kind: kind === 'cluster' ? 'cluster' : 'provider', name, ...value });
    }
    if (page.next === undefined) return pauses;
    after = page.next;
  }
}
