/** A dashboard for Grafana: what there is, what it costs, what fails, and what waits. */

import { providerPanels } from './provider-dashboard.ts';

export interface Panel {
  title: string;
  description: string;
  /** By the text of the legend. */
  queries: Readonly<Record<string, string>>;
  unit?: string;
  type?: 'timeseries' | 'stat';
}

export const panels: readonly Panel[] = [
  {
    title: 'Nodes',
    description: 'NodeClaims with a node.',
    queries: { '{{cluster}}': 'max by (cluster) (karpenter_cluster_state_node_count{cluster=~"$cluster"})' },
    type: 'stat',
  },
  {
    title: 'Cost per hour',
    description: 'List prices in US dollars, without claims whose price is unknown.',
    queries: { '{{cluster}}': 'max by (cluster) (poolwright_claims_price_per_hour{cluster=~"$cluster"})' },
    unit: 'currencyUSD',
    type: 'stat',
  },
  {
    title: 'Claims of unknown price',
    description: 'They are not part of the cost per hour.',
    queries: { '{{cluster}}': 'max by (cluster) (poolwright_claims_price_unknown{cluster=~"$cluster"})' },
    type: 'stat',
  },
  {
    title: 'Acts on the cluster',
    description: '1: a deployment acts. 0: all only read.',
    queries: { '{{cluster}}': 'max by (cluster) (poolwright_cluster_owner{cluster=~"$cluster"})' },
    type: 'stat',
  },
  {
    title: 'Claims by phase',
    description: '',
    queries: { '{{phase}}': 'sum by (phase) (poolwright_claims{cluster=~"$cluster"})' },
  },
  {
    title: 'Allocatable CPU by NodePool',
    description: '',
    queries: {
      '{{nodepool}}': 'sum by (nodepool) (karpenter_nodes_allocatable{cluster=~"$cluster",resource_type="cpu"})',
    },
  },
  {
    title: 'Nodes created and removed',
    description: 'Per minute.',
    queries: {
      created: 'sum(rate(karpenter_nodes_created_total[5m])) * 60',
      removed: 'sum(rate(karpenter_nodes_terminated_total[5m])) * 60',
    },
  },
  {
    title: 'From claim to Ready',
    description: 'Half and 95 % of the claims were Ready within this time.',
    queries: {
      '50 %':
        'histogram_quantile(0.5, sum by (le) (rate(poolwright_claim_stage_duration_seconds_bucket{stage="ready"}[15m])))',
      '95 %':
        'histogram_quantile(0.95, sum by (le) (rate(poolwright_claim_stage_duration_seconds_bucket{stage="ready"}[15m])))',
    },
    unit: 's',
  },
  {
    title: 'Failed launches by reason',
    description: 'poolwright errors <reason> says what to do.',
    queries: { '{{reason}}': 'sum by (reason) (increase(poolwright_launches_failed_total[15m]))' },
  },
  {
    title: 'Claims ended by reason',
    description: '',
    queries: { '{{reason}}': 'sum by (reason) (increase(karpenter_nodeclaims_disrupted_total[15m]))' },
  },
  {
    title: 'Calls to clouds that fail',
    description: 'Per second.',
    queries: {
      '{{provider}} {{error}}': 'sum by (provider, error) (rate(karpenter_cloudprovider_errors_total[5m]))',
    },
  },
  {
    title: 'NodePools: usage and limit of CPU',
    description: '',
    queries: {
      '{{nodepool}}': 'sum by (nodepool) (karpenter_nodepools_usage{cluster=~"$cluster",resource_type="cpu"})',
      '{{nodepool}} limit': 'sum by (nodepool) (karpenter_nodepools_limit{cluster=~"$cluster",resource_type="cpu"})',
    },
  },
  {
    title: 'Queue',
    description: 'Messages that wait, and dead letters.',
    queries: {
      waiting: 'sum by (queue) (poolwright_queue_depth)',
      dead: 'sum by (queue) (poolwright_dead_letters)',
    },
  },
  {
    title: 'Workflows',
    description: '',
    queries: { '{{workflow}} {{status}}': 'sum by (workflow, status) (poolwright_workflows)' },
  },
];

/** The variable of the dashboard; Grafana takes it without braces too. */
const datasource = { type: 'prometheus', uid: '$datasource' };
const columns = { stat: 6, timeseries: 12 } as const;
const rowHeight = { stat: 4, timeseries: 8 } as const;

function placed(panels: readonly Panel[]) {
  let x = 0;
  let y = 0;
  return panels.map(({ title, description, queries, unit = 'short', type = 'timeseries' }, index) => {
    const w = columns[type];
    if (x + w > 24) [x, y] = [0, y + rowHeight[panels[index - 1]?.type ?? 'timeseries']];
    const gridPos = { x, y, w, h: rowHeight[type] };
    x += w;
    return {
      id: index + 1,
      title,
      description,
      type,
      datasource,
      gridPos,
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
        refId: String.fromCharCode(65 + at),
        datasource,
        expr,
        legendFormat,
      })),
    };
  });
}

const board = (
  names: { uid: string; title: string; tags: readonly string[] },
  panels: readonly Panel[],
  variables: readonly object[],
) => ({
  ...names,
  timezone: 'browser',
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }, ...variables],
  },
  panels: placed(panels),
});

const clusterVariable = {
  name: 'cluster',
  type: 'query',
  label: 'Cluster',
  datasource,
  query: 'label_values(poolwright_cluster_owner, cluster)',
  includeAll: true,
  multi: true,
  refresh: 2,
};

export const dashboard = () =>
  board({ uid: 'poolwright', title: 'Poolwright', tags: ['poolwright', 'karpenter'] }, panels, [clusterVariable]);

export const providerDashboard = () =>
  board(
    { uid: 'poolwright-providers', title: 'Providers of virtual machines', tags: ['poolwright', 'virtrigaud'] },
    providerPanels,
    [],
  );
