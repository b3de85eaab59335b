/** Requests as objects of a cluster: on the simulated API server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { countingIds, systemClock } from '../../../shared/base/runtime.ts';
import { kubeRequestStore } from '../../../shared/clusters/store/kube.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import { type ClusterApi, namespaces } from '../../../shared/kube/contract.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { type ClusterApi as Server, startClusterApi } from '../../../sim/cluster/server.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { storeConformance } from './conformance.ts';

describe('requests in a cluster', () => {
  let server: Server;
  let api: ClusterApi;
  const next = countingIds('team-');
  beforeAll(async () => {
    server = await startClusterApi({ file: ':memory:', port: 0 });
    const connection = { name: 'management', url: server.url, clock: systemClock, log: silentLog };
    api = connectCluster({ ...connection, requestTimeoutMs: 20_000, fieldManager: 'poolwright' });
  });
  afterAll(async () => {
    api?.close();
    await server?.close();
  });
  storeConformance(() => ({
    store: kubeRequestStore(api),
    namespace: async () => {
      const name = next.next();
      mustBe(await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
      return name;
    },
  }));
});
