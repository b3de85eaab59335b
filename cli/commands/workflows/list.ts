/** `poolwright workflows list`. */
import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { ClusterChoice } from '../../reach/cluster-access.ts';
import { allPages, type HostAddress, withHostApi } from '../../reach/host-api.ts';
import { whichCluster } from '../../reach/which-cluster.ts';
import { type Format, type Listing, printListing } from '../../terminal/output/formats.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { claimNames, type NameClaims } from './claim-names.ts';
import type { Workflow } from './workflow.ts';

export interface ListOptions extends HostAddress, ClusterChoice {
  dataDir: string;
  output: Format;
  status?: string;
  cluster?: string;
}

const most = 50_000;

export async function list(options: ListOptions, terminal: Terminal): Promise<number> {
  const rows = await workflowsOf(options, terminal, claimNames(options, terminal));
  await printListing(listingOf(rows, systemClock.now()), options.output, terminal);
  return 0;
}

/** Also for `get workflows`. */
export async function workflowsOf(
  { status, cluster, ...host }: Omit<ListOptions, 'output'>,
  terminal: Terminal,
  nameClaims: NameClaims,
): Promise<Workflow[]> {
  return withHostApi(host, async (api) => {
    const found = await allPages<Workflow>(api, '/v1/workflows', status === undefined ? {} : { status }, most);
    if (found.length >= most) terminal.err(`These are the first ${found.length}; there may be more.\n`);
    const rows = cluster === undefined ? found : found.filter(({ id }) => id.startsWith(`${cluster}/`));
    // None may be because the name is wrong; a cluster that is served no more may still have some.
    if (rows.length === 0 && cluster !== undefined) await whichCluster(api, undefined, cluster);
    return nameClaims(rows);
  });
}

export const listingOf = (rows: readonly Workflow[], now: number): Listing<Workflow> => ({
  rows,
  columns: [
    { title: 'ID', text: ({ id }) => id },
    { title: 'CLAIM', text: ({ claim }) => claim ?? '' },
    {
      title: 'STATUS',
      text: ({ status }) => status,
      style: ({ status }) => (status === 'running' || status === 'completed' ? undefined : 'red'),
    },
    { title: 'AGE', text: ({ startedAt }) => ageSince(startedAt, now) },
    { title: 'VERSION', text: ({ version }) => String(version), wide: true },
    { title: 'STARTED', text: ({ startedAt }) => startedAt, wide: true },
    { title: 'ENDED', text: ({ endedAt }) => endedAt ?? '', wide: true },
    { title: 'WAITING FOR / ENDED BECAUSE', text: ({ waitingFor, error }) => error ?? waitingFor ?? '' },
  ],
  name: ({ id }) => `workflow/${id}`,
  alias: ({ claim }) => (claim === undefined ? undefined : `claim/${claim}`),
  data: (row): Json => ({ ...row }),
  empty: 'No workflows.',
});
