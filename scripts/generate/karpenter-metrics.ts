/**
 * The metrics of Karpenter 1.14 (core), each with what Poolwright has of it: the same type and at least these labels, or a reason why it is
 * missing. A test compares it with shared/observe/metrics.ts; the page about metrics shows the reasons.
 */

interface Served {
  type: 'counter' | 'gauge' | 'histogram' | 'summary';
  labels: readonly string[];
  /** Labels of Karpenter's that are not there, and why. */
  without?: Readonly<Record<string, string>>;
}

const pods = 'counts pods, which Poolwright does not schedule; comes with dynamic pools';
const scheduler = 'Poolwright has no scheduler of pods; comes with dynamic pools';
const consolidation = 'Poolwright does not consolidate; comes with dynamic pools';
const nodeName = 'the number of series must not depend on the number of nodes; the values are sums';

/** A text is the reason why there is no such metric. */
export const karpenterMetrics: Readonly<Record<string, Served | string>> = {
  karpenter_build_info: { type: 'gauge', labels: ['version', 'goversion', 'goarch', 'commit'] },

  karpenter_nodeclaims_created_total: { type: 'counter', labels: ['reason', 'nodepool', 'min_values_relaxed'] },
  karpenter_nodeclaims_terminated_total: { type: 'counter', labels: ['nodepool', 'capacity_type', 'zone'] },
  karpenter_nodeclaims_disrupted_total: {
    type: 'counter',
    labels: ['reason', 'nodepool', 'capacity_type'],
    without: {
      consolidation_policy: consolidation,
      termination_mode: 'every drain is graceful, up to `terminationGracePeriod`',
    },
  },
  karpenter_nodeclaims_instance_termination_duration_seconds: { type: 'histogram', labels: ['nodepool'] },
  karpenter_nodeclaims_termination_duration_seconds: { type: 'histogram', labels: ['nodepool'] },
  karpenter_nodeclaims_unhealthy_disrupted_total: 'Poolwright does not repair nodes that become unhealthy',

  karpenter_nodes_created_total: { type: 'counter', labels: ['nodepool'] },
  karpenter_nodes_terminated_total: { type: 'counter', labels: ['nodepool'] },
  karpenter_nodes_drained_total: { type: 'counter', labels: ['nodepool'] },
  karpenter_nodes_termination_duration_seconds: { type: 'summary', labels: ['nodepool'] },
  karpenter_nodes_lifetime_duration_seconds: { type: 'histogram', labels: ['nodepool'] },
  karpenter_nodes_allocatable: {
    type: 'gauge',
    labels: ['nodepool', 'instance_type', 'zone', 'capacity_type', 'arch', 'os', 'resource_type'],
    without: { node_name: nodeName, phase: 'Kubernetes no longer sets the phase of a Node' },
  },
  karpenter_nodes_system_overhead: {
    type: 'gauge',
    labels: ['nodepool', 'instance_type', 'zone', 'capacity_type', 'arch', 'os', 'resource_type'],
    without: { node_name: nodeName, phase: 'Kubernetes no longer sets the phase of a Node' },
  },
  karpenter_nodes_current_lifetime_seconds: 'has a series per node; `poolwright get nodes` shows the age of each',
  karpenter_nodes_total_pod_requests: pods,
  karpenter_nodes_total_pod_limits: pods,
  karpenter_nodes_total_daemon_requests: pods,
  karpenter_nodes_total_daemon_limits: pods,
  karpenter_cluster_utilization_percent: pods,

  karpenter_nodepools_usage: { type: 'gauge', labels: ['nodepool', 'resource_type'] },
  karpenter_nodepools_limit: { type: 'gauge', labels: ['nodepool', 'resource_type'] },
  karpenter_nodepools_allowed_disruptions: { type: 'gauge', labels: ['nodepool', 'reason'] },
  karpenter_nodepools_nodes_consuming_budgets: consolidation,
  karpenter_nodepools_cost_total:
    'would show an unknown price as 0; `poolwright_claims_price_per_hour` and `poolwright_claims_price_unknown` tell both',
  karpenter_nodepools_cost_tracker_errors_total: 'belongs to `karpenter_nodepools_cost_total`',

  karpenter_cluster_state_node_count: { type: 'gauge', labels: [] },
  karpenter_cluster_state_synced: { type: 'gauge', labels: [] },
  karpenter_cluster_state_unsynced_time_seconds: { type: 'gauge', labels: [] },

  karpenter_cloudprovider_duration_seconds: { type: 'histogram', labels: ['controller', 'method', 'provider'] },
  karpenter_cloudprovider_errors_total: { type: 'counter', labels: ['controller', 'method', 'provider', 'error'] },

  karpenter_voluntary_disruption_decisions_total: {
    type: 'counter',
    labels: ['decision', 'reason', 'consolidation_type'],
  },
  karpenter_voluntary_disruption_decisions_by_nodepool_total: consolidation,
  karpenter_voluntary_disruption_decision_evaluation_duration_seconds: consolidation,
  karpenter_voluntary_disruption_eligible_nodes: consolidation,
  karpenter_voluntary_disruption_consolidation_timeouts_total: consolidation,
  karpenter_voluntary_disruption_failed_validations_total: consolidation,
  karpenter_voluntary_disruption_queue_failures_total: consolidation,
  karpenter_consolidation_score: consolidation,
  karpenter_consolidation_moves_total: consolidation,

  karpenter_pods_eviction_requests_total: { type: 'counter', labels: ['code'] },
  karpenter_pods_drained_total: { type: 'counter', labels: ['reason'] },
  karpenter_pods_disruption_initiated_total: pods,
  karpenter_pods_state: pods,
  karpenter_pods_startup_duration_seconds: pods,
  karpenter_pods_bound_duration_seconds: pods,
  karpenter_pods_unbound_time_seconds: pods,
  karpenter_pods_unstarted_time_seconds: pods,
  karpenter_pods_provisioning_bound_duration_seconds: pods,
  karpenter_pods_provisioning_startup_duration_seconds: pods,
  karpenter_pods_provisioning_unbound_time_seconds: pods,
  karpenter_pods_provisioning_unstarted_time_seconds: pods,
  karpenter_pods_provisioning_scheduling_undecided_time_seconds: pods,
  karpenter_pods_scheduling_decision_duration_seconds: pods,

  karpenter_scheduler_scheduling_duration_seconds: scheduler,
  karpenter_scheduler_queue_depth: scheduler,
  karpenter_scheduler_unfinished_work_seconds: scheduler,
  karpenter_scheduler_unschedulable_pods_count: scheduler,
  karpenter_scheduler_ignored_pods_count: scheduler,
  karpenter_scheduler_pending_pods_by_effective_zone_count: scheduler,

  operator_status_condition_transition_seconds:
    'has series per object; `poolwright_claim_stage_duration_seconds` has the stages of claims',
  operator_status_condition_current_status_seconds:
    'has series per object; `poolwright_claim_stage_duration_seconds` has the stages of claims',
  operator_status_condition_count: 'has series per object; `poolwright_claims` counts claims by phase',
  operator_status_condition_transitions_total:
    'has series per object; `poolwright_claim_stage_duration_seconds` has the stages of claims',
};

/** For the page: the names that are missing for one reason in one row. */
export function missingMetrics(): { names: string[]; why: string }[] {
  const byReason = new Map<string, string[]>();
  for (const [name, what] of Object.entries(karpenterMetrics)) {
    if (typeof what === 'string') byReason.set(what, [...(byReason.get(what) ?? []), name]);
    else
      for (const [label, why] of Object.entries(what.without ?? {}))
        byReason.set(why, [...(byReason.get(why) ?? []), `${name}{${label}}`]);
  }
  return [...byReason].map(([why, names]) => ({ why, names }));
}
