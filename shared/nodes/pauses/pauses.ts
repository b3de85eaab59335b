/** Pauses: while a cluster or a provider is paused, nothing new is bought there. What is being deleted goes on. */
import type { State } from '../../state/contract.ts';
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
  { state }: Pick<LifecycleServices, 'state'>,
  cluster: Pick<ClusterServices, 'name' | 'paused' | 'pausedProviders'>,
  provider: string,
): Promise<string | undefined> {
  if (cluster.paused) return inConfiguration(cluster.name);
  if (cluster.pausedProviders.has(provider)) return `provider ${provider} is paused in the configuration`;
  return (
    (await readPause(state, { kind: 'cluster', name: cluster.name })) ??
    (await readPause(state, { kind: 'provider', name: provider }))
  );
}

/** Of a cluster as a whole. */
export async function clusterPausedBy(
  { name, paused }: Pick<ClusterServices, 'name' | 'paused'>,
  state: Pick<State, 'get'>,
): Promise<string | undefined> {
  return paused ? inConfiguration(name) : await readPause(state, { kind: 'cluster', name });
}

const inConfiguration = (cluster: string): string => `cluster ${cluster} is paused in the configuration`;

async function readPause(state: Pick<State, 'get'>, target: PauseTarget): Promise<string | undefined> {
  const entry = await state.get<{ why: string }>(pauseKey(target));
  if (entry === undefined) return undefined;
  return `${target.kind} ${target.name} is paused${entry.value.why ? `: ${entry.value.why}` : ''}`;
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
