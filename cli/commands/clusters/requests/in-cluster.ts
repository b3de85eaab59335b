/** Requests as objects of a management cluster, with the kubeconfig of whoever calls. The host of that cluster sees them there. */
import { defined } from '../../../../shared/base/defined.ts';
import type { Failure } from '../../../../shared/base/result.ts';
import { systemClock, systemIds } from '../../../../shared/base/runtime.ts';
import { createAsoDriver } from '../../../../shared/clusters/drivers/aso/driver.ts';
import { createRequest } from '../../../../shared/clusters/operations/create.ts';
import { deleteRequest } from '../../../../shared/clusters/operations/delete.ts';
import { diffRequest } from '../../../../shared/clusters/operations/diff.ts';
import { explainRequest } from '../../../../shared/clusters/operations/explain.ts';
import { cancelRequest, type MarkOutcome, retryRequest } from '../../../../shared/clusters/operations/marks.ts';
import { summaryOf } from '../../../../shared/clusters/operations/summary.ts';
import { clusterRequests } from '../../../../shared/clusters/request/kind.ts';
import type { Finding } from '../../../../shared/clusters/rules/finding.ts';
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import { kubeRequestStore } from '../../../../shared/clusters/store/kube.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import { clusterProblem } from '../../../reach/cluster-problem.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { poolTypesOf } from '../plan/pool-types.ts';
import { changes } from './changes.ts';
import type { RequestId, Requests, RequestsChoice } from './requests.ts';

const pageSize = 500;

export function requestsInCluster(api: ClusterApi, { poolTypes }: Pick<RequestsChoice, 'poolTypes'>): Requests {
  const store = kubeRequestStore(api);
  const place = { store, poolTypes: poolTypesOf(poolTypes) };
  const problem = (failure: Failure, { namespace, name }: Pick<RequestId, 'namespace' | 'name'>): UserError =>
    failure.kind === 'not-found'
      ? new UserError(`There is no request ${namespace}/${name} in cluster ${api.name}.`, {
          code: 'UnknownClusterRequest',
        })
      : failure.kind === 'conflict'
        ? new UserError(`The request ${namespace}/${name} is being changed at the same time. Try again.`, {
            code: 'OperationInProgress',
          })
        : clusterProblem(failure, api, clusterRequests);
  const mustRead = async (id: RequestId): Promise<StoredRequest> => {
    const found = await store.get(id);
    if (!found.ok) throw problem(found.error, id);
    return found.value;
  };
  const marked = (id: RequestId, done: MarkOutcome, code: string): { changed: boolean } => {
    if (done.outcome === 'failed') throw problem(done.failure, id);
    if (done.outcome === 'pointless') throw new UserError(done.why, { code });
    return { changed: done.changed };
  };
  return {
    async list(namespace) {
      const items: StoredRequest[] = [];
      let from: string | undefined;
      do {
        const page = await store.list({ limit: pageSize, ...defined({ namespace, continue: from }) });
        if (!page.ok) throw clusterProblem(page.error, api, clusterRequests);
        items.push(...page.value.items);
        from = page.value.continue;
      } while (from !== undefined);
      return items.map((one) => summaryOf(api.name, one));
    },
    read: async (id) => ({ cluster: api.name, request: await mustRead(id) }),
    changes: (id, signal) => changes(api, id, signal),
    async create(object) {
      const done = await createRequest(place, object, systemClock.now());
      if (done.outcome === 'refused') throw refused(done.findings);
      if (done.outcome === 'failed') throw problem(done.failure, idOf(object));
      if (done.outcome === 'exists') throw exists(done);
      return {
        cluster: api.name,
        request: done.request,
        findings: done.findings,
        created: done.outcome === 'created',
      };
    },
    cancel: async (id) => marked(id, await cancelRequest(place, id), 'NothingToCancel'),
    retry: async (id) => marked(id, await retryRequest(place, id, systemIds.next()), 'NothingToRetry'),
    async remove(id, guard) {
      const done = await deleteRequest(place, id, guard);
      if (done.outcome === 'failed') throw problem(done.failure, id);
      if (done.outcome === 'guarded') throw guarded(id);
      return { gone: done.outcome === 'gone', keepsCluster: done.keeps };
    },
    explain: async (id) => explainRequest(place, await mustRead(id), systemClock.now()),
    async diff(id) {
      const request = await mustRead(id);
      const driver = createAsoDriver({ api, clock: systemClock });
      const newCluster = {
        unavailable: 'only a host looks into the new cluster: poolwright clusters diff with its --url',
      };
      const compared = await diffRequest({ place: { ...place, driver }, deployment: '', newCluster }, request);
      if (!compared.ok) {
        const { reason, message } = compared.error;
        throw reason === undefined
          ? clusterProblem(compared.error, api, clusterRequests)
          : new UserError(`Cluster ${api.name} can't be compared: ${message}.`, { code: reason });
      }
      return compared.value;
    },
    close: () => api.close(),
  };
}

function idOf({ metadata }: { metadata?: unknown }): Pick<RequestId, 'namespace' | 'name'> {
  const { namespace = '', name = '' } = (metadata ?? {}) as Partial<Record<'namespace' | 'name', string>>;
  return { namespace, name };
}

function refused(findings: readonly Finding[]): UserError {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const last = errors.at(-1);
  const lines = errors.map((one) => `${one.field}: ${one.cause}${one === last ? '' : `; ${one.fix}.`}`);
  return new UserError(lines.join('\n'), {
    code: errors[0]?.code ?? 'ClusterRequestInvalid',
    hint: last === undefined ? '' : `; ${last.fix}.`,
  });
}

function exists({
  request,
  differs,
  deleting,
}: {
  request: StoredRequest;
  differs: readonly string[];
  deleting: boolean;
}) {
  const { namespace, name } = request.metadata;
  const text = deleting
    ? `The request ${namespace}/${name} exists and is being deleted. Create it again when it is gone.`
    : `The request ${namespace}/${name} exists with another spec. Different: ${differs.slice(0, 5).join(', ')}.`;
  return new UserError(text, { code: 'ClusterRequestExists' });
}

const guarded = ({ namespace, name }: RequestId): UserError =>
  new UserError(`The request ${namespace}/${name} has a delete guard.`, { code: 'DeleteGuarded' });
