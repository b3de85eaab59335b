/** A simulated cluster API that holds one claim, `web-1`, which no provider serves. */
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';

export interface StoredClaimFixture {
  readonly api: ClusterApi;
  readonly uid: string;
}

/** Open from the first test of the suite to its last. */
export function useStoredClaim(): () => StoredClaimFixture {
  let fixture: StoredClaimFixture;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = await startClusterApi({ file: ':memory:', port: 0 });
    const api = connectCluster({
      name: 'production',
      url: server.url,
      clock: systemClock,
      log: silentLog,
      requestTimeoutMs: 10_000,
      fieldManager: 'poolwright',
    });
    close = async () => {
      api.close();
      await server.close();
    };
    const created = await api.create(nodeClaims, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'web-1' },
      spec: { nodeClassRef: { group: 'x.dev', kind: 'XClass', name: 'default' }, requirements: [] },
    });
    if (!created.ok) throw new Error(created.error.message);
    fixture = { api, uid: created.value.metadata.uid };
  });
  afterAll(() => close());
  return () => fixture;
}
