/** Claims of the world's one cluster, for those who follow them. */

import { systemClock } from '../../../shared/base/runtime.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import { type ClusterApi, nodeClaims, type Resource } from '../../../shared/kube/contract.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';

const nodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};
const lookMs = 25;
const giveUpMs = 100_000;

export interface Claims {
  create(name: string): Promise<StoredClaim>;
  delete(name: string): Promise<void>;
  /** Looks until it is so. */
  look(name: string, enough: (claim: StoredClaim | undefined) => boolean): Promise<StoredClaim | undefined>;
  close(): void;
}

/** @param said What the host has said, for whoever has waited in vain. */
export function claimsOf(url: string, said: () => string): Claims {
  const api: ClusterApi = connectCluster({
    url,
    name: 'sim',
    clock: systemClock,
    log: silentLog,
    env: {},
    requestTimeoutMs: 60_000,
    fieldManager: 'test',
    maxSockets: 4,
  });
  const { group, version, kind } = nodeClasses;
  return {
    async create(name) {
      const apiVersion = `${group}/${version}`;
      await api.create(nodeClasses, { apiVersion, kind, metadata: { name: 'default' }, spec: {} });
      const spec = { nodeClassRef: { group, kind, name: 'default' }, requirements: [], resources: { requests: {} } };
      const claim = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name }, spec };
      const made = await api.create(nodeClaims, claim);
      if (!made.ok) throw new Error(made.error.message);
      const read = await api.get<StoredClaim>(nodeClaims, { name });
      if (!read.ok) throw new Error(read.error.message);
      return read.value;
    },
    async delete(name) {
      await api.delete(nodeClaims, { name }, {});
    },
    async look(name, enough) {
      for (const until = Date.now() + giveUpMs; Date.now() < until; ) {
        const got = await api.get<StoredClaim>(nodeClaims, { name });
        const claim = got.ok ? got.value : undefined;
        if (enough(claim)) return claim;
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
      throw new Error(`claim ${name} did not get there; the host said:\n${said()}`);
    },
    close: () => api.close(),
  };
}
