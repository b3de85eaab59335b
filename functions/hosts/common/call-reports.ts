/** Calls to provider servers as metrics. */
import type { ConnectionReports } from '../../../shared/drivers/grpc/connect.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';

const breakerValues = { closed: 0, 'half-open': 1, open: 2 } as const;

/** As gRPC names its codes. */
const codes: readonly string[] = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

export const callReports = (metrics: Metrics): ConnectionReports => ({
  ended: ({ type, call, code, seconds }) => {
    metrics.providerCalls.inc({ provider_type: type, method: call, code: codes[code] ?? String(code) });
    metrics.providerCallLatency.observe({ provider_type: type, method: call }, seconds);
  },
  breaker: (state, { type, server }) =>
    metrics.providerBreaker.set({ provider_type: type, provider: server }, breakerValues[state]),
});
