/** Follows objects of a cluster for as long as somebody looks: through watches that break, expire or fall silent. */

import { defined } from '../../shared/base/defined.ts';
import { systemClock, systemRandom } from '../../shared/base/runtime.ts';
import type { ClusterApi, KubeObject, Resource } from '../../shared/kube/contract.ts';
import { type Change, reflect } from '../../shared/kube/reflector.ts';
import type { Log } from '../../shared/observe/log/log.ts';
import { printable } from '../terminal/text-table.ts';
import { clusterProblem } from './cluster-problem.ts';

export interface Following<T extends KubeObject> {
  resource: Resource;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Before the first list is complete every object comes as added. */
  onChange(change: Change<T>): void;
  onSynced(): void;
  /** What is wrong at the moment; it is tried again. */
  onTrouble(text: string): void;
  signal: AbortSignal;
}

/** Ends when the signal fires. What is wrong from the start is thrown, so that nobody waits for what can't come. */
export async function follow<T extends KubeObject>(api: ClusterApi, following: Following<T>): Promise<void> {
  const { resource, labelSelector, fieldSelector, onChange, onSynced, onTrouble, signal } = following;
  const selection = defined({ labelSelector, fieldSelector });
  const first = await api.list(resource, { ...selection, limit: 1 }, signal);
  if (!first.ok) {
    if (signal.aborted) return;
    throw clusterProblem(first.error, api, resource);
  }
  await reflect<T>({
    api,
    resource,
    ...selection,
    onEvent: onChange,
    onSynced,
    clock: systemClock,
    random: systemRandom,
    log: troubleLog(onTrouble),
    signal,
    longestPauseMs: 5000,
  });
}

/** Of all that the reflector has to say, a person who watches wants to know why nothing comes. */
function troubleLog(onTrouble: (text: string) => void): Log {
  const log: Log = {
    write: (event, { message, error } = {}) => {
      if (event !== 'cluster.list.failed' && event !== 'cluster.watch.failed') return;
      onTrouble(printable(String(message ?? error ?? 'the watch broke')));
    },
    child: () => log,
  };
  return log;
}
