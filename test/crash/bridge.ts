/** The bridge of the crash test: it follows the cluster, and tells a queue what happens there. It stays up while hosts are killed. */
import { startBridge } from '../../functions/sources/bridge.ts';
import { systemClock, systemIds, systemRandom } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import type { Sender } from '../../shared/queue/contract.ts';

/** @param clusterUrl The cluster's API as the bridge meets it. */
export function followCluster(clusterUrl: string, to: Sender): { close(): Promise<void> } {
  const clock = systemClock;
  const api = connectCluster({
    name: 'sim',
    url: clusterUrl,
    clock,
    log: silentLog,
    requestTimeoutMs: 30_000,
    fieldManager: 'poolwright',
  });
  const abort = new AbortController();
  const parts = { clock, ids: systemIds, random: systemRandom, log: silentLog };
  const bridge = startBridge({ cluster: 'sim', api, to, ...parts, signal: abort.signal });
  return {
    async close() {
      abort.abort();
      await bridge.ended;
      api.close();
    },
  };
}
