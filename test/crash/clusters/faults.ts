/** What goes wrong at the operator and in Azure while requests are carried out. Nothing of it is for ever, so every request can end well. */
import type { AsoFaultRule } from '../../../sim/aso/faults.ts';

const passing = (status: number, code: string) => ({
  kind: 'refused' as const,
  status,
  code,
  message: 'It was asked for.',
});

export function clusterFaults(): AsoFaultRule[] {
  const each = 0.02;
  return [
    { on: 'put', probability: each, do: passing(429, 'Throttled') },
    { on: 'put', probability: each, do: passing(409, 'AnotherOperationInProgress') },
    { on: 'put', probability: each, do: passing(503, 'ServiceUnavailable') },
    { on: 'put', probability: each, do: passing(403, 'AuthorizationFailed') },
    {
      on: 'put',
      probability: each,
      do: { kind: 'operation-fails', code: 'InternalServerError', message: 'It broke.' },
    },
    { on: 'put', probability: each, do: { kind: 'slow', seconds: 4 } },
    { on: 'delete', probability: 2 * each, do: passing(409, 'Conflict') },
    {
      on: 'delete',
      probability: each,
      do: { kind: 'operation-fails', code: 'InternalServerError', message: 'It broke.' },
    },
    { on: 'delete', probability: each, do: { kind: 'slow', seconds: 4 } },
    { on: 'get', probability: each, do: passing(500, 'InternalServerError') },
    // An old condition stands for a new spec meanwhile.
    { on: 'notice', probability: 4 * each, do: { kind: 'late', seconds: 2 } },
    { on: 'export', probability: 4 * each, do: { kind: 'late', seconds: 2 } },
    {
      on: 'ready',
      probability: each,
      do: { kind: 'not-ready-again', afterSeconds: 1, forSeconds: 2, code: 'Throttled', message: 'It was asked for.' },
    },
    { on: 'provisioning', probability: 2 * each, do: { kind: 'late', seconds: 2 } },
    { on: 'flux', probability: 2 * each, do: { kind: 'late', seconds: 2 } },
  ];
}
