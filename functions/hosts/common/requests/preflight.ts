/** What can be known before a cluster is made, as findings of its request. */
import { ok } from '../../../../shared/base/result.ts';
import type { AzureFacts } from '../../../../shared/clusters/preflight/azure-facts.ts';
import { findingsOf, preflight } from '../../../../shared/clusters/preflight/preflight.ts';
import type { Preflight } from '../../../../shared/clusters/services.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';

interface Parts {
  deployment: string;
  api: ClusterApi | undefined;
  /** Of the subscription; absent where no provider is named whose identity could ask. */
  azure?: AzureFacts | undefined;
}

const unavailable = 'no provider is configured for requests, so the subscription is not asked';

export const preflightOf = ({ deployment, api, azure }: Parts): Preflight => ({
  async check({ request, resolved }, signal = new AbortController().signal) {
    const { namespace, name, uid } = request.metadata;
    const owner = { deployment, namespace, name, uid };
    const sources = { azure: azure ?? { unavailable }, management: api ?? ('none' as const), owner };
    return ok(findingsOf(await preflight(resolved, sources, signal)));
  },
});
