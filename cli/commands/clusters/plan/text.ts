/** Plans of clusters as text: what is wrong first, then what would be made, in order. */

import type { HostPlan } from '../../../../shared/clusters/operations/plan.ts';
import type { ClusterPlan } from '../../../../shared/clusters/plan/plan.ts';
import type { MonthlyPrice } from '../../../../shared/clusters/price/monthly.ts';
import type { Finding } from '../../../../shared/clusters/rules/finding.ts';
import { printable } from '../../../terminal/text-table.ts';

export interface PlannedCluster {
  plan: ClusterPlan;
  file: string;
  line: number;
  lineOf(field: string): number;
  /** Where a host was asked. */
  host?: Pick<HostPlan, 'monthlyPrice' | 'checked' | 'unanswered'>;
}

export const plansText = (plans: readonly PlannedCluster[]): string => plans.map(planText).join('\n');

function planText(planned: PlannedCluster): string {
  const { plan, file, line } = planned;
  const title = plan.name === '' ? 'a request that cannot be read' : `${plan.namespace}/${plan.name}`;
  const what = plan.resolved !== undefined ? sentence(plan.resolved) : plan.valid ? 'valid' : 'invalid';
  const lines = [printable(`${title} (${file}:${line}): ${what}`), ...findingLines(planned).map((one) => `  ${one}`)];
  if (plan.valid) {
    lines.push('  stages');
    for (const [index, { stage, cluster, manifests }] of plan.stages.entries()) {
      const objects = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ');
      const where = cluster === 'new' ? ' (in the new cluster)' : '';
      lines.push(printable(`    ${String(index + 1).padStart(2)}  ${stage.padEnd(20)}  ${objects}${where}`));
    }
    lines.push(...priceLines(planned.host?.monthlyPrice ?? undefined).map((one) => `  ${one}`));
  }
  for (const why of planned.host?.unanswered ?? []) lines.push(printable(`  not checked  ${why}`));
  return `${lines.join('\n')}\n`;
}

const amount = (value: number, currency: string): string => `${value.toFixed(2)} ${currency}`;

/** An unknown price is never shown as nothing, and neither is what depends on pods. */
export function priceLines(price: MonthlyPrice | undefined): string[] {
  if (price === undefined) return ['price  unknown: only a host reads a price list'];
  const { state, least, most, currency, parts, reason = '' } = price;
  if (state === 'unknown' || least === null) return [printable(`price  unknown: ${reason}`)];
  const whole =
    most === null
      ? `from ${amount(least, currency)}`
      : least === most
        ? amount(least, currency)
        : `${amount(least, currency)} to ${amount(most, currency)}`;
  const lines = parts.map(({ part, what, least: from, most: to, note }) => {
    const sum =
      from === null
        ? 'unknown'
        : to === null || from === to
          ? amount(from, currency)
          : `${amount(from, currency)} to ${amount(to, currency)}`;
    return printable(`       ${part.padEnd(13)}  ${what}  ${note ?? sum}`);
  });
  return [`price  ${whole} per month, without disks, traffic and logs`, ...lines];
}

const makers = {
  nap: 'nodes by node auto-provisioning',
  poolwright: 'nodes by Poolwright',
  agentPools: 'nodes by agent pools with an autoscaler',
} as const;

function sentence({
  clusterName,
  location,
  kubernetesVersion,
  nodes,
  nodePool,
}: NonNullable<ClusterPlan['resolved']>): string {
  const version = kubernetesVersion === undefined ? "AKS's default version" : `Kubernetes ${kubernetesVersion}`;
  return `cluster ${clusterName} in ${location}, ${version}, ${makers[nodes]}, pool type ${nodePool.type}`;
}

/** As `config check` has them: file, line, field, what is wrong; then the fix. */
function findingLines({ plan, file, lineOf }: PlannedCluster): string[] {
  const order = (finding: Finding): number => (finding.severity === 'error' ? 0 : 1);
  return [...plan.findings]
    .sort((a, b) => order(a) - order(b) || lineOf(a.field) - lineOf(b.field))
    .map(({ severity, field, code, cause, fix }) =>
      printable(`${severity.padEnd(7)}  ${file}:${lineOf(field)}: ${field}: ${cause}; ${fix} (${code})`),
    );
}

/** For stderr: the findings where stdout is a document, and what it comes to. */
export function summary(plans: readonly PlannedCluster[]): { lines: string[]; last: string } {
  const invalid = plans.filter(({ plan }) => !plan.valid).length;
  const count = `${plans.length} ${plans.length === 1 ? 'request' : 'requests'}`;
  const verdict = invalid === 0 ? `${count}, all valid.` : `${count}, ${invalid} invalid.`;
  return { lines: plans.flatMap(findingLines), last: `${verdict} Nothing was created.` };
}
