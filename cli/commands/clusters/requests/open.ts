/**
 * Which way to the requests: a kubeconfig or a host that is named is taken. Otherwise the host of the data directory, and where none runs
 * or it carries out no requests, the cluster of the usual kubeconfig.
 */
import { isNamed, openCluster } from '../../../reach/cluster-access.ts';
import { HostProblem, openHostApi } from '../../../reach/host-api.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { requestsAtHost } from './at-host.ts';
import { requestsInCluster } from './in-cluster.ts';
import type { Requests, RequestsChoice } from './requests.ts';

export async function openRequests(choice: RequestsChoice): Promise<Requests> {
  if (choice.url !== undefined) return requestsAtHost(openHostApi(choice));
  if (isNamed(choice)) return requestsInCluster(await openCluster(choice), choice);
  let atHost: Requests | undefined;
  try {
    const api = openHostApi(choice);
    atHost = requestsAtHost(api);
    await api.ask('GET', '/v1/cluster-requests', { query: { limit: '1' } });
    return atHost;
  } catch (error) {
    atHost?.close();
    if (!isAbsence(error)) throw error;
    try {
      return requestsInCluster(await openCluster(choice), choice);
    } catch (other) {
      // A host that carries out no requests has said what to do; a missing kubeconfig is the smaller problem.
      throw other instanceof UserError ? error : other;
    }
  }
}

/** No host runs there, or it knows nothing of requests. */
const isAbsence = (error: unknown): boolean =>
  error instanceof HostProblem
    ? error.kind === 'no-management-cluster' || error.kind === 'unknown-path'
    : error instanceof UserError && error.code === 'HostUnreachable';

export async function withRequests<T>(choice: RequestsChoice, use: (requests: Requests) => Promise<T>): Promise<T> {
  const requests = await openRequests(choice);
  try {
    return await use(requests);
  } finally {
    requests.close();
  }
}
