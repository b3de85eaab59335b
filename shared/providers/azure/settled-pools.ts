/**
 * Agent pools of the cluster that was named at the start. The cluster may name another one later, or was silent when its
 * name was asked for; then nothing is asked of Azure any more, because a pool that is looked for in the wrong cluster
 * looks deleted.
 */
import { failed, type Result } from '../../claims/errors.ts';
import type { ClusterSettingsSource } from '../../cluster-settings.ts';
import type { AgentPools } from './agent-pools.ts';

export function settledPools(pools: AgentPools, clusterName: string, settings: ClusterSettingsSource): AgentPools {
  const on = async <T>(signal: AbortSignal, call: () => Promise<Result<T>>): Promise<Result<T>> => {
    const current = await settings.current(signal);
    // A cluster that can't be read now has said nothing else.
    const said = current.ok ? current.value.azure.clusterName : '';
    if (said === '' || said === clusterName) return call();
    const message = `settings.azure.clusterName of the chart says ${said}, and this process works with ${clusterName}; set it back while claims have machines there, or restart the process to take it over`;
    return failed('unavailable', message);
  };
  return {
    conditional: pools.conditional,
    put: (name, wish, options, signal) => on(signal, () => pools.put(name, wish, options, signal)),
    get: (name, signal) => on(signal, () => pools.get(name, signal)),
    list: (page, signal) => on(signal, () => pools.list(page, signal)),
    delete: (name, options, signal) => on(signal, () => pools.delete(name, options, signal)),
    // The URL of an operation names its cluster itself.
    operation: (handle, signal) => pools.operation(handle, signal),
    close: () => pools.close(),
  };
}
