/** Alerts on the servers of `poolwright provider`, and on those of VirtRigaud, which have metrics of the same names. */
import type { AlertRule } from './alerts.ts';

const page = 'machine-providers.md';

export const providerAlertRules: readonly AlertRule[] = [
  {
    alert: 'ProviderUnhealthy',
    expr: 'max by (provider) (provider_health_status) == 0',
    for: '10m',
    severity: 'critical',
    summary: 'No server of provider {{ $labels.provider }} can work',
    description: 'Its machines can be neither made nor deleted. The conditions of the Provider say why.',
    page,
  },
  {
    alert: 'ProviderHypervisorUnreachable',
    expr: 'max by (endpoint) (provider_hypervisor_connection_status) == 0',
    for: '5m',
    severity: 'critical',
    summary: 'The hypervisor {{ $labels.endpoint }} does not answer',
    description: 'It is away, or refuses the credentials (log: provider-server.hypervisor.unreachable).',
    page,
  },
  {
    alert: 'ProviderCallsFail',
    expr: 'sum by (method) (rate(provider_grpc_requests_total{status=~"UNAVAILABLE|DEADLINE_EXCEEDED|INTERNAL|UNKNOWN"}[10m])) / sum by (method) (rate(provider_grpc_requests_total[10m])) > 0.1',
    for: '15m',
    severity: 'warning',
    summary: 'Calls of {{ $labels.method }} fail',
    description: 'More than a tenth of them (log: provider-server.call.failed).',
    page,
  },
  {
    alert: 'ProviderCallsLimited',
    expr: 'sum by (method) (rate(provider_grpc_requests_total{status="RESOURCE_EXHAUSTED"}[10m])) > 0.1',
    for: '15m',
    severity: 'warning',
    summary: 'Calls of {{ $labels.method }} are refused by the limit',
    description: 'Raise `spec.rateLimit` of the Provider, or its replicas.',
    page,
  },
  {
    alert: 'ProviderSlow',
    expr: 'max by (method) (provider_grpc_request_duration_seconds{quantile="0.95"}) > 30',
    for: '15m',
    severity: 'warning',
    summary: 'Calls of {{ $labels.method }} take longer than 30 seconds',
    description: 'Usually it is the hypervisor. A limit of CPU on the pods of the Provider has the same effect.',
    page,
  },
];
