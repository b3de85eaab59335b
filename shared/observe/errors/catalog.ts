/**
 * Every error that a user can meet, by its code. The code is the reason that conditions and Events show, so there is one vocabulary for
 * the cluster, the log, the HTTP API and the command. Scripts and alerts rely on codes: one is never renamed or reused.
 *
 * Plain data and nothing else; still, whoever only needs a code imports nothing, and whoever needs the texts does so when there is an error.
 *
 * @example
 * const { errors } = await import('../shared/observe/errors/catalog.ts');
 * errors.QuotaExceeded.cure;
 */
import { buying } from './buying.ts';
import { checks } from './checks.ts';
import { cloudStack } from './cloudstack.ts';
import { cluster } from './cluster.ts';
import { clusterRequests } from './cluster-requests.ts';
import { clusterRequestsLive } from './cluster-requests-live.ts';
import { command } from './command.ts';
import { configuration } from './configuration.ts';
import type { ErrorEntry, ErrorGroup } from './entry.ts';
import { host } from './host.ts';
import { joining } from './joining.ts';
import { leaving } from './leaving.ts';
import { machineProviders } from './machine-providers.ts';
import { machines } from './machines.ts';
import { migration } from './migration.ts';
import { nodeClasses } from './node-classes.ts';
import { pools } from './pools.ts';
import { providerServers } from './provider-servers.ts';
import { queueAndWorkflows } from './queue-and-workflows.ts';

/** In the order in which the page has them. */
export const errorGroups: readonly { readonly title: string; readonly entries: ErrorGroup }[] = [
  { title: 'No instance is created', entries: buying },
  { title: 'A node class is invalid or not ready', entries: nodeClasses },
  { title: 'CloudStack', entries: cloudStack },
  { title: 'Provider servers', entries: providerServers },
  { title: 'An instance does not become a ready node', entries: joining },
  { title: 'Interruption and deletion', entries: leaving },
  { title: 'NodePools', entries: pools },
  { title: 'Clusters', entries: cluster },
  { title: 'Cluster requests', entries: clusterRequests },
  { title: 'Cluster requests while they are carried out', entries: clusterRequestsLive },
  { title: 'Providers of virtual machines', entries: machineProviders },
  { title: 'Virtual machines', entries: machines },
  { title: 'Migration from KRO', entries: migration },
  { title: 'Configuration', entries: configuration },
  { title: 'Messages and workflows', entries: queueAndWorkflows },
  { title: 'Hosts and requests to them', entries: host },
  { title: 'Reported by checks', entries: checks },
  { title: 'Commands', entries: command },
];

const catalog = {
  ...buying,
  ...nodeClasses,
  ...cloudStack,
  ...providerServers,
  ...joining,
  ...leaving,
  ...pools,
  ...cluster,
  ...clusterRequests,
  ...clusterRequestsLive,
  ...machineProviders,
  ...machines,
  ...migration,
  ...configuration,
  ...queueAndWorkflows,
  ...host,
  ...checks,
  ...command,
} as const;

export type ErrorCode = keyof typeof catalog;

export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = catalog;

/** For a code that came from elsewhere, such as a condition or a newer host. */
export function findError(written: string): ErrorEntry | undefined {
  const code = formerCodes.get(written) ?? written;
  return Object.hasOwn(errors, code) ? errors[code as ErrorCode] : undefined;
}

/** Objects and logs may still have a code that was spelled differently once. */
const formerCodes: ReadonlyMap<string, string> = new Map([['Unauthorised', 'Unauthorized']]);
