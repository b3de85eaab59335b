/**
 * Everything that can be known before anything is made: read-only questions to Azure and to the management cluster. A source that does not
 * answer is a skipped check with its name, never a pass, and what passes is likely and never sure.
 *
 * @example
 * const { checks, blocking, served } = await preflight(resolved, { azure, management: api, owner }, signal);
 */
import type { Result } from '../../base/result.ts';
import type { ClusterApi } from '../../kube/contract.ts';
import type { AsoKindName, Served } from '../manifests/api-versions.ts';
import type { Resolved } from '../resolved/resolve.ts';
import type { Owner } from '../resolved/tags.ts';
import type { Finding } from '../rules/finding.ts';
import type { AzureFacts } from './azure-facts.ts';
import { type Check, type CheckName, checkNames, skipped } from './check.ts';
import { judgeLocation, judgeNames, judgeProviders, judgeVersion } from './judge-azure.ts';
import { judgeQuota, judgeSizes } from './judge-capacity.ts';
import { checkCredential, checkOperator, checkRights, neededKinds } from './management.ts';

export interface PreflightSources {
  /** The subscription, or why it can't be asked. */
  azure: AzureFacts | { unavailable: string };
  /** The management cluster; `none` where requests are carried out without one. */
  management: ClusterApi | { unavailable: string } | 'none';
  /** Whose tags prove that what exists was made for this request. */
  owner?: Owner | undefined;
}

export interface PreflightReport {
  checks: readonly Check[];
  /** Those that would make Azure or the cluster refuse the request. */
  blocking: readonly Check[];
  /** What the management cluster serves, as far as it could be asked. */
  served: Served;
}

export async function preflight(
  resolved: Resolved,
  { azure, management, owner }: PreflightSources,
  signal: AbortSignal,
): Promise<PreflightReport> {
  const kinds = neededKinds(resolved);
  const [ofAzure, ofCluster] = await Promise.all([
    checkAzure(resolved, azure, owner, signal),
    checkManagement(resolved, management, kinds, signal),
  ]);
  const checks = [...ofAzure, ...ofCluster.checks].toSorted(
    (one, other) => checkNames.indexOf(one.name) - checkNames.indexOf(other.name),
  );
  return { checks, blocking: checks.filter(({ state }) => state === 'unlikely'), served: ofCluster.served };
}

const azureChecks: readonly CheckName[] = [
  'location',
  'kubernetes-version',
  'vm-sizes',
  'quota',
  'names',
  'resource-providers',
];

async function checkAzure(
  resolved: Resolved,
  azure: PreflightSources['azure'],
  owner: Owner | undefined,
  signal: AbortSignal,
): Promise<Check[]> {
  if ('unavailable' in azure) return azureChecks.map((name) => skipped(name, azure.unavailable));
  const { location, resourceGroup, clusterName } = resolved;
  const [locations, versions, sizes, usages, registrations, group] = await Promise.all([
    azure.locations(signal),
    azure.versions(location, signal),
    azure.sizes(location, signal),
    azure.usages(location, signal),
    azure.registrations(signal),
    azure.group(resourceGroup, signal),
  ]);
  // In a group that is not there is no cluster either.
  const cluster: typeof group =
    group.ok && group.value !== undefined
      ? await azure.cluster(resourceGroup, clusterName, signal)
      : { ok: true, value: undefined };
  return [
    ...judged('location', locations, (value) => judgeLocation(resolved, value)),
    ...judged('kubernetes-version', versions, (value) => judgeVersion(resolved, value)),
    ...judged('vm-sizes', sizes, (value) => judgeSizes(resolved, value)),
    ...judged('quota', sizes, (known) => judged('quota', usages, (value) => judgeQuota(resolved, known, value))),
    ...judged('resource-providers', registrations, (value) => judgeProviders(resolved, value)),
    ...judged('names', group, (found) =>
      judged('names', cluster, (inside) => judgeNames(resolved, owner, { group: found, cluster: inside })),
    ),
  ];
}

async function checkManagement(
  resolved: Resolved,
  management: PreflightSources['management'],
  kinds: readonly AsoKindName[],
  signal: AbortSignal,
): Promise<{ checks: Check[]; served: Served }> {
  if (management === 'none') return { checks: [], served: {} };
  if ('unavailable' in management) {
    const checks = (['operator', 'credential', 'rights'] as const).map((name) => skipped(name, management.unavailable));
    return { checks, served: {} };
  }
  const [operator, credential, rights] = await Promise.all([
    checkOperator(management, kinds, signal),
    checkCredential(management, resolved, signal),
    checkRights(management, kinds, resolved.namespace, signal),
  ]);
  return { checks: [...operator.checks, ...credential, ...rights], served: operator.served };
}

const judged = <T>(name: CheckName, answer: Result<T>, judge: (value: T) => Check[]): Check[] =>
  answer.ok ? judge(answer.value) : [skipped(name, answer.error.message)];

/** As findings of the request, for its conditions and for a plan. What was skipped is not one. */
export const findingsOf = ({ checks }: Pick<PreflightReport, 'checks'>): Finding[] =>
  checks.flatMap(({ state, code, field, text, fix }) =>
    (state === 'unlikely' || state === 'warning') && code !== undefined
      ? [
          {
            severity: state === 'unlikely' ? 'error' : 'warning',
            code,
            field: field ?? 'spec',
            cause: text,
            fix: fix ?? '',
          },
        ]
      : [],
  );

/** What could not be asked, each reason once with the checks that it prevents: for a plan, which must not look as if they had passed. */
export const skippedOf = ({ checks }: Pick<PreflightReport, 'checks'>): string[] => {
  const reasons = Map.groupBy(
    checks.filter(({ state }) => state === 'skipped'),
    ({ text }) => text,
  );
  return [...reasons].map(([text, those]) => `${[...new Set(those.map(({ name }) => name))].join(', ')}: ${text}`);
};
