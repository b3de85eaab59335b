/** The metrics of one provider server, under the names that VirtRigaud's dashboards ask for. */
import { Counter, Gauge, Registry, Summary } from 'prom-client';

export type ServerMetrics = ReturnType<typeof createServerMetrics>;

const minutes = 10;

export function createServerMetrics() {
  const registry = new Registry();
  const common = { registers: [registry] };
  const requests = new Counter({
    ...common,
    name: 'provider_grpc_requests_total',
    help: 'Calls that the server answered, by method and status.',
    labelNames: ['method', 'status'] as const,
  });
  const durations = new Summary({
    ...common,
    name: 'provider_grpc_request_duration_seconds',
    help: 'How long calls took, by method.',
    labelNames: ['method'] as const,
    percentiles: [0.5, 0.95, 0.99],
    maxAgeSeconds: minutes * 60,
    ageBuckets: 5,
  });
  const machines = new Gauge({
    ...common,
    name: 'provider_vms_total',
    help: 'Machines on the hypervisor, by state.',
    labelNames: ['state'] as const,
  });
  const health = new Gauge({
    ...common,
    name: 'provider_health_status',
    help: '1 while the provider can work, else 0.',
    labelNames: ['provider'] as const,
  });
  const connection = new Gauge({
    ...common,
    name: 'provider_hypervisor_connection_status',
    help: '1 while the hypervisor answers, else 0.',
    labelNames: ['endpoint'] as const,
  });
  return {
    requests,
    durations,
    machines,
    health,
    connection,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
