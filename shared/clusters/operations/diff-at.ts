/** The comparison by a host, which can also look into the new cluster. */
import type { Result } from '../../base/result.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { withNewCluster } from '../steps/new-cluster.ts';
import { refOf } from '../steps/workflow-key.ts';
import type { StoredRequest } from '../store/contract.ts';
import { diffRequest, type RequestDifferences } from './diff.ts';

export const diffAt = (
  services: ClusterRequestServices,
  place: RequestPlace,
  request: StoredRequest,
  signal: AbortSignal,
): Promise<Result<RequestDifferences>> =>
  diffRequest(
    {
      place,
      deployment: services.deployment,
      newCluster: (planned, use) =>
        withNewCluster(services, place, refOf(place.name, request), planned, ({ api }) => use(api), signal),
    },
    request,
    signal,
  );
