/** Requests for whole clusters on the local host: our own part of one, and many at once. */
import type { Figure } from '../figure.ts';
import { oneByOne, requestsAtOnce } from '../harness/cluster-requests.ts';

export const clusterRequestSeconds: Figure = {
  name: 'a request for a cluster, with an operator that needs no time: until it is Ready',
  unit: 's',
  limit: 2,
  allowed: 'at most',
  measure: async (bench) => (await oneByOne(bench)).seconds,
};

export const clusterRequestWrites: Figure = {
  name: 'writes to both API servers per request for a cluster',
  unit: '',
  limit: 40,
  allowed: 'at most',
  measure: async (bench) => (await oneByOne(bench)).writes,
};

export const clusterRequestsInFlight: Figure = {
  name: 'share of 1,000 requests for clusters in flight that become Ready',
  unit: '',
  limit: 1,
  allowed: 'at least',
  measure: async (bench) => (await requestsAtOnce(bench)).ready,
};
