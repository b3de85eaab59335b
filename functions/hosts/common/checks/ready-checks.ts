/** What a host answers when it is asked whether it can do its work now. */
import { within } from '../../../../shared/base/timers.ts';
import type { FunctionServices } from '../../../declaration.ts';
import type { Readiness } from '../../../http/options.ts';
import { type Checks, clusterChecks } from '../cluster-ownership.ts';
import { cloudChecks } from './cloud-health.ts';

/** Who asks whether we are ready has little patience, and one cluster that is silent must not use it up. */
const readyWithinMs = 2000;

/** @param own What the host says about itself. */
export async function readiness(services: FunctionServices, own: Checks): Promise<Readiness> {
  const checks: Checks = { ...own };
  await Promise.all(
    services.clusters.map(async (cluster) => {
      const silent = { [`cluster ${cluster.name}`]: { ok: false, message: `no answer within ${readyWithinMs} ms` } };
      Object.assign(checks, (await within(clusterChecks(services, cluster), readyWithinMs)) ?? silent);
    }),
  );
  const ready = Object.values(checks).every((check) => check.ok);
  // Said, and no more: this host serves other clouds, and can tell what is wrong with this one.
  Object.assign(
    checks,
    await within(
      cloudChecks(services.state).catch(() => ({})),
      readyWithinMs,
    ),
  );
  return { ready, checks, own: Object.keys(own) };
}
