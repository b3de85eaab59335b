/** All that `GET /v1/checks` looks at. */
import type { Check } from '../../../../../shared/base/checks.ts';
import type { HttpOptions, Readiness } from '../../../options.ts';
import { admissionChecks } from './admissions.ts';
import { clusterChecks } from './cluster.ts';
import { pauseChecks, workflowChecks } from './pauses.ts';
import { nodeClassChecks, poolChecks } from './pools.ts';
import { queueChecks } from './queue.ts';
import { staleClaimChecks } from './stale-claims.ts';
import { timerChecks } from './timers.ts';
import type { Look } from './within.ts';

export { looked } from './within.ts';

export function looksOf({ services, workflows, ready }: HttpOptions): Look[] {
  return [
    { name: 'host', look: async () => hostChecks(await ready()) },
    { name: 'queue events', look: async () => queueChecks(services) },
    { name: 'pauses', look: () => pauseChecks(services) },
    ...(workflows === undefined ? [] : [{ name: 'workflows', look: () => workflowChecks(workflows) }]),
    ...services.clusters.flatMap((cluster): Look[] => {
      const { name } = cluster;
      return [
        { name: `cluster ${name}`, look: (signal) => clusterChecks(services, cluster, signal) },
        { name: `cluster ${name}: timers`, look: () => timerChecks(services, name) },
        { name: `cluster ${name}: webhook`, look: () => admissionChecks(services, name) },
        { name: `cluster ${name}: pools`, look: (signal) => poolChecks(cluster, signal) },
        { name: `cluster ${name}: node classes`, look: (signal) => nodeClassChecks(cluster, signal) },
        { name: `cluster ${name}: claims`, look: (signal) => staleClaimChecks(services, cluster, signal) },
      ];
    }),
  ];
}

/** What only this host has. The clusters are looked at more closely. */
const hostChecks = ({ checks, own = Object.keys(checks) }: Readiness): Check[] =>
  own.map((name) => {
    const { ok, message } = checks[name] ?? { ok: true };
    return {
      name: name === 'host' ? 'host: ready' : name,
      state: ok ? 'pass' : 'fail',
      message: message ?? (ok ? 'ready' : 'not ready'),
      ...(ok ? {} : { code: 'NotReady' }),
    };
  });
