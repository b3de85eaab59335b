/** A dashboard for Grafana of the servers of providers. */
import type { Panel } from './dashboard.ts';

export const providerPanels: readonly Panel[] = [
  {
    title: 'Healthy',
    description: '1: the provider can work. 0: it cannot.',
    queries: { '{{provider}}': 'max by (provider) (provider_health_status)' },
    type: 'stat',
  },
  {
    title: 'Hypervisor',
    description: '1: the hypervisor answers. 0: it does not.',
    queries: { '{{endpoint}}': 'max by (endpoint) (provider_hypervisor_connection_status)' },
    type: 'stat',
  },
  {
    title: 'Machines',
    description: 'On all hypervisors. Replicas of one provider see the same ones.',
    queries: { '{{state}}': 'max by (state) (provider_vms_total)' },
    type: 'stat',
  },
  {
    title: 'Calls',
    description: 'Per second.',
    queries: { '{{method}}': 'sum by (method) (rate(provider_grpc_requests_total[5m]))' },
  },
  {
    title: 'Calls that do not succeed',
    description: 'Per second, by the code of gRPC.',
    queries: {
      '{{method}} {{status}}': 'sum by (method, status) (rate(provider_grpc_requests_total{status!="success"}[5m]))',
    },
  },
  {
    title: 'Time of calls, median',
    description: 'Over the last 10 minutes, the slowest replica.',
    queries: { '{{method}}': 'max by (method) (provider_grpc_request_duration_seconds{quantile="0.5"})' },
    unit: 's',
  },
  {
    title: 'Time of calls, 95 %',
    description: 'Over the last 10 minutes, the slowest replica.',
    queries: { '{{method}}': 'max by (method) (provider_grpc_request_duration_seconds{quantile="0.95"})' },
    unit: 's',
  },
];
