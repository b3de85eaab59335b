/** Alerts for Prometheus on what no one would notice otherwise. Each names the page that says what to do. */

import { providerAlertRules } from './provider-alerts.ts';

export interface AlertRule {
  alert: string;
  expr: string;
  for: string;
  severity: 'critical' | 'warning';
  summary: string;
  description: string;
  /** Under docs/. */
  page: string;
}

export const alertRules: readonly AlertRule[] = [
  {
    alert: 'PoolwrightClusterReadOnly',
    expr: 'max by (cluster) (poolwright_cluster_owner) == 0',
    for: '10m',
    severity: 'critical',
    summary: 'Poolwright is read-only for cluster {{ $labels.cluster }}',
    description:
      'No deployment that Prometheus sees acts on the cluster: its claims make no progress. `poolwright clusters` says why (log: owner.read-only).',
    page: 'ownership.md',
  },
  {
    alert: 'PoolwrightClusterUnreachable',
    expr: 'max by (cluster) (karpenter_cluster_state_synced) == 0',
    for: '10m',
    severity: 'critical',
    summary: 'Poolwright cannot list the claims of cluster {{ $labels.cluster }}',
    description: 'Every resync fails. `poolwright doctor` says why (log: cluster.unreachable, resync.failed).',
    page: 'clusters.md',
  },
  {
    alert: 'PoolwrightWorkflowSetAside',
    expr: 'sum by (workflow) (poolwright_workflows{status="set-aside"}) > 0',
    for: '5m',
    severity: 'critical',
    summary: 'A {{ $labels.workflow }} workflow was set aside',
    description:
      'The host crashed repeatedly at one of its steps. `poolwright workflows` lists it (log: workflow.set-aside).',
    page: 'operations.md',
  },
  {
    alert: 'PoolwrightLaunchesFail',
    expr: 'sum by (reason) (increase(poolwright_launches_failed_total[15m])) > 5',
    for: '15m',
    severity: 'warning',
    summary: 'Launches fail: {{ $labels.reason }}',
    description: '`poolwright explain` names the cause and the fix for each claim.',
    page: 'troubleshooting.md',
  },
  {
    alert: 'PoolwrightClaimsStuckDeleting',
    expr: 'min by (cluster) (min_over_time(poolwright_claims{phase="deleting"}[1h])) > 0 unless on () sum(increase(karpenter_nodeclaims_terminated_total[1h])) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'Claims of cluster {{ $labels.cluster }} are being deleted, and none is gone for an hour',
    description: '`poolwright top` shows them; `poolwright explain` says what each waits for.',
    page: 'drain.md',
  },
  {
    alert: 'PoolwrightProviderErrors',
    expr: 'sum by (provider, error) (rate(karpenter_cloudprovider_errors_total[10m])) > 0.1',
    for: '15m',
    severity: 'warning',
    summary: 'Calls to {{ $labels.provider }} fail: {{ $labels.error }}',
    description: 'A cloud refuses calls or does not answer. `poolwright doctor` checks the provider.',
    page: 'troubleshooting.md',
  },
  {
    alert: 'PoolwrightDeadLetters',
    expr: 'max by (queue) (poolwright_dead_letters) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Queue {{ $labels.queue }} has dead letters',
    description: 'A sender is wrong. `poolwright deadletters` shows the reasons.',
    page: 'operations.md',
  },
  {
    alert: 'PoolwrightEventsWait',
    expr: 'max by (queue) (poolwright_queue_oldest_age_seconds) > 600',
    for: '5m',
    severity: 'warning',
    summary: 'An event has waited on queue {{ $labels.queue }} for ten minutes',
    description: 'A cluster does not answer, or the host has too much to do.',
    page: 'operations.md',
  },
  {
    alert: 'PoolwrightClusterRequestsFail',
    expr: 'sum by (stage, kind) (increase(poolwright_cluster_stage_failures_total[1h])) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'Requests for clusters fail at stage {{ $labels.stage }} ({{ $labels.kind }})',
    description: '`poolwright clusters explain` names the cause and the fix for each request.',
    page: 'cluster-requests.md',
  },
  {
    alert: 'PoolwrightClusterOrphans',
    expr: 'max by (cluster, kind) (poolwright_cluster_orphans) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'Objects of kind {{ $labels.kind }} have no request any more',
    description: 'Poolwright does not remove a cluster that was ready once. Remove it by hand, or request it again.',
    page: 'cluster-requests.md',
  },
];

/** As Prometheus and the PrometheusRule of its operator take them. */
const group = (name: string, rules: readonly AlertRule[]) => ({
  name,
  rules: rules.map(({ alert, expr, for: wait, severity, summary, description, page }) => ({
    alert,
    expr,
    for: wait,
    labels: { severity },
    annotations: { summary, description, page: `docs/${page}` },
  })),
});

export const alertGroups = () => ({
  groups: [group('poolwright', alertRules), group('poolwright-providers', providerAlertRules)],
});
