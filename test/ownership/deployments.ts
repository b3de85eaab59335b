/** Deployments that share a fake API server; each has its own state, clock skew and processes. */
import { ok } from '../../shared/base/result.ts';
import { type Clock, countingIds } from '../../shared/base/runtime.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { createMetrics } from '../../shared/observe/metrics.ts';
import { createOwnership, type OwnableCluster } from '../../shared/ownership/ownership.ts';
import type { ServedKind } from '../../shared/ownership/rivals.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import type { FakeServer } from './fake-leases.ts';

export const leaseSeconds = 120;
export const leaseKey = 'leases/kube-system/poolwright';
const sim: ServedKind = { group: 'poolwright.dev', kind: 'SimNodeClass' };

export interface DeploymentOptions {
  deployment?: string;
  id?: string;
  serves?: ServedKind[];
  clusters?: string[];
  between?: () => Promise<void>;
  check?: OwnableCluster['check'];
}

export function aDeployment(server: FakeServer, clock: Clock, options: DeploymentOptions = {}) {
  const {
    deployment = 'ours',
    id = deployment,
    clusters = ['east'],
    serves = [sim],
    check = async () => ok([]),
  } = options;
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const log = collectingLog();
  const metrics = createMetrics();
  const aProcess = () =>
    createOwnership({
      deployment,
      clusters: clusters.map((name) => ({
        api: server.connect(name, options.between),
        lease: { namespace: 'kube-system', name: 'poolwright', seconds: leaseSeconds },
        serves,
        check,
      })),
      state,
      clock,
      ids: countingIds(id),
      log,
      metrics,
    });
  return { ...aProcess(), aProcess, state, log, metrics };
}
