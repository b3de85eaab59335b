/** What can be known before a cluster is made, as findings of its request. Subscriptions are not asked yet: those checks are skipped. */
import { ok } from '../../../../shared/base/result.ts';
import { findingsOf, preflight } from '../../../../shared/clusters/preflight/preflight.ts';
import type { Preflight } from '../../../../shared/clusters/services.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';

interface Parts {
  deployment: string;
  api: ClusterApi | undefined;
}

const unavailable = 'the subscription is not asked here';

export const preflightOf = ({ deployment, api }: Parts): Preflight => ({
  async check({ request, resolved }, signal = new AbortController().signal) {
    const { namespace, name, uid } = request.metadata;
    const owner = { deployment, namespace, name, uid };
    const sources = { azure: { unavailable }, management: api ?? ('none' as const), owner };
    return ok(findingsOf(await preflight(resolved, sources, signal)));
  },
});
