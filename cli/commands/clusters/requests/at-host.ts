/** Requests through the HTTP API of a host. */

import { defined } from '../../../../shared/base/defined.ts';
import type { Json } from '../../../../shared/base/json.ts';
import type { ExplainedRequest } from '../../../../shared/clusters/operations/explain.ts';
import type { HostPlan } from '../../../../shared/clusters/operations/plan.ts';
import type { RequestSummary } from '../../../../shared/clusters/operations/summary.ts';
import { allPages, type HostApi, HostProblem } from '../../../reach/host-api.ts';
import type { CreatedRequest, ReadRequest, RequestDifferences, RequestId, Requests } from './requests.ts';

/** More than that a person does not read; a program pages through the API. */
const mostListed = 5000;

const path = ({ cluster, namespace, name }: RequestId): string =>
  `/v1/cluster-requests/${[cluster, namespace, name].map(encodeURIComponent).join('/')}`;

export function requestsAtHost(api: HostApi): Requests {
  return {
    list: (namespace) => allPages<RequestSummary>(api, '/v1/cluster-requests', defined({ namespace }), mostListed),
    read: (id) => api.ask<ReadRequest>('GET', path(id)),
    async *changes(id, signal) {
      let seen: string | undefined;
      while (!signal.aborted) {
        const query = { watch: 'poll', ...defined({ resourceVersion: seen }) };
        let found: ReadRequest;
        try {
          found = await api.ask<ReadRequest>('GET', path(id), { query });
        } catch (error) {
          // Gone while it was watched is an end; never there is a mistake.
          if (seen === undefined || !(error instanceof HostProblem) || error.kind !== 'unknown-cluster-request')
            throw error;
          yield undefined;
          return;
        }
        const { resourceVersion } = found.request.metadata;
        if (resourceVersion !== seen) yield found;
        seen = resourceVersion;
      }
    },
    create: (object, cluster) =>
      api.ask<CreatedRequest>('POST', '/v1/cluster-requests', { query: defined({ cluster }), body: object as Json }),
    cancel: (id) => api.ask('POST', `${path(id)}/cancel`),
    retry: (id) => api.ask('POST', `${path(id)}/retry`),
    remove: (id, guard) => api.ask('DELETE', path(id), { query: defined({ guard }) }),
    explain: (id) => api.ask<ExplainedRequest>('GET', `${path(id)}/explain`),
    diff: (id) => api.ask<RequestDifferences>('GET', `${path(id)}/diff`),
    plan: (object, { check, cluster }) =>
      api.ask<HostPlan>('POST', '/v1/cluster-requests/plan', {
        query: { check: String(check), ...defined({ cluster }) },
        body: object as Json,
      }),
    close: () => api.close(),
  };
}
