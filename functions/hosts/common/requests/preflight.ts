/** What can be known before a cluster is made, as findings of its request. */
import { ok } from '../../../../shared/base/result.ts';
import type { Clock } from '../../../../shared/base/runtime.ts';
import type { AzureFacts } from '../../../../shared/clusters/preflight/azure-facts.ts';
import { offeredThere } from '../../../../shared/clusters/preflight/offered-there.ts';
import { findingsOf, preflight, skippedOf } from '../../../../shared/clusters/preflight/preflight.ts';
import type { Preflight } from '../../../../shared/clusters/services.ts';
import { toWireTime } from '../../../../shared/kube/conditions.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';

interface Parts {
  deployment: string;
  api: ClusterApi | undefined;
  clock: Clock;
  /** Of the subscription; absent where no provider is named whose identity could ask. */
  azure?: AzureFacts | undefined;
}

const unavailable = 'no provider is configured for requests, so the subscription is not asked';
/** An API server waits for admission; what takes longer is found out by the workflow. */
const longestFactsMs = 2000;

export const preflightOf = ({ deployment, api, clock, azure }: Parts): Preflight => ({
  asksAzure: azure !== undefined,
  async facts({ location }, given) {
    if (azure === undefined) return {};
    const limit = AbortSignal.timeout(longestFactsMs);
    const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
    const [locations, versions] = await Promise.all([azure.locations(signal), azure.versions(location, signal)]);
    const today = toWireTime(clock.now()).slice(0, 10);
    return {
      ...(locations.ok ? { locations: locations.value } : {}),
      ...(versions.ok ? { versions: offeredThere(location, versions.value, today) } : {}),
    };
  },
  async check({ request, resolved }, signal = new AbortController().signal) {
    const { namespace, name, uid } = request.metadata;
    const owner = { deployment, namespace, name, uid };
    const sources = { azure: azure ?? { unavailable }, management: api ?? ('none' as const), owner };
    const report = await preflight(resolved, sources, signal);
    return ok({ findings: findingsOf(report), skipped: skippedOf(report) });
  },
});
