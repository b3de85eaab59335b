/**
 * Names that dashboards of internal platforms ask for, as recording rules over the metrics of today. Those of Karpenter come from whoever
 * runs Karpenter in a cluster; on AKS that is its control plane.
 */

export interface OldName {
  record: string;
  expr: string;
  /** What it stands for, where that is not the same thing. */
  note?: string;
}

const histogram = (old: string, today: string, note: string): OldName[] =>
  ['bucket', 'sum', 'count'].map((part) => ({ record: `${old}_${part}`, expr: `${today}_${part}`, note }));

const readyIn = (window: string): string => `sum(increase(cluster_ready_time_seconds_count[${window}]))`;
const failedIn = (window: string): string => `sum(increase(poolwright_cluster_stage_failures_total[${window}]))`;

export const oldNames: readonly OldName[] = [
  ...histogram(
    'argo_workflow_duration_seconds',
    'cluster_ready_time_seconds',
    'No workflow of Argo runs: this is the time from a request until its cluster is ready.',
  ),
  {
    record: 'argo_workflow_success_rate',
    expr: `${readyIn('1d')} / (${readyIn('1d')} + ${failedIn('1d')})`,
    note: 'No workflow of Argo runs: clusters that became ready, among these and failed stages, in a day.',
  },
  { record: 'karpenter_nodes_total', expr: 'karpenter_cluster_state_node_count' },
  {
    record: 'karpenter_nodes_allocatable_memory_bytes',
    expr: 'sum without (resource_type) (karpenter_nodes_allocatable{resource_type="memory"})',
  },
  {
    record: 'karpenter_nodes_allocatable_cpu_cores',
    expr: 'sum without (resource_type) (karpenter_nodes_allocatable{resource_type="cpu"})',
  },
  {
    record: 'karpenter_voluntary_disruption_queue_depth',
    expr: 'sum(karpenter_voluntary_disruption_eligible_nodes)',
    note: 'Karpenter no longer has a depth: these are the nodes that it may disrupt.',
  },
];

/** As Prometheus and the PrometheusRule of its operator take them. */
export const oldNameGroups = () => ({
  groups: [{ name: 'poolwright-old-names', rules: oldNames.map(({ record, expr }) => ({ record, expr })) }],
});
