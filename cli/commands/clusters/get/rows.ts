/** Requests as rows of a table. */
import type { Json } from '../../../../shared/base/json.ts';
import type { RequestSummary } from '../../../../shared/clusters/operations/summary.ts';
import type { Listing } from '../../../terminal/output/formats.ts';
import { ageSince } from '../../../terminal/output/values.ts';

/** What is going on, in a word. */
export const stateOf = ({ deleting, ready, reason }: RequestSummary): string =>
  deleting ? 'Deleting' : ready === 'True' ? 'Ready' : (reason ?? 'Waiting');

/** Why it is not ready. */
const whyOf = ({ ready, deleting, waitingFor, code, message }: RequestSummary): string => {
  if (ready === 'True' && !deleting) return '';
  const why = waitingFor === undefined ? (message ?? '') : `waits for ${waitingFor}`;
  return code === undefined ? why : `${code}: ${why}`;
};

export function requestListing(rows: readonly RequestSummary[], now: number): Listing<RequestSummary> {
  return {
    rows,
    name: ({ namespace, name }) => `clusterrequest/${namespace}/${name}`,
    data: (row) => row as unknown as Json,
    empty: 'There are no cluster requests.',
    columns: [
      { title: 'NAMESPACE', text: ({ namespace }) => namespace },
      { title: 'NAME', text: ({ name }) => name },
      { title: 'CLUSTER', text: ({ cluster }) => cluster, wide: true },
      { title: 'STATE', text: stateOf, style: ({ ready }) => (ready === 'True' ? 'green' : undefined) },
      { title: 'STAGE', text: ({ stage = '' }) => stage, spare: 3 },
      { title: 'VERSION', text: ({ kubernetesVersion = '' }) => kubernetesVersion, spare: 1 },
      { title: 'LOCATION', text: ({ location = '' }) => location, spare: 2 },
      { title: 'AGE', text: ({ createdAt }) => ageSince(createdAt, now) },
      { title: 'FQDN', text: ({ fqdn = '' }) => fqdn, wide: true },
      { title: 'REASON', text: whyOf },
    ],
  };
}
