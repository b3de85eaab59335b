/** One call in ten fails, in every way that the simulated cloud knows; and some machines are no good. */
import type { FaultRules } from '../../sim/kit/faults.ts';

const operations = ['create', 'get', 'list', 'delete'] as const;

export function crashFaults(): FaultRules {
  const each = 0.01;
  return [
    { on: [...operations], probability: each, do: { kind: 'throttle', retryAfterSeconds: 0.5 } },
    { on: [...operations], probability: each, do: { kind: 'throttle' } },
    { on: ['create', 'delete'], probability: each, do: { kind: 'conflict' } },
    { on: [...operations], probability: each, do: { kind: 'error', status: 500 } },
    { on: ['create', 'delete'], probability: each, do: { kind: 'error', status: 502, effect: 'done' } },
    { on: [...operations], probability: each, do: { kind: 'error', status: 503, saysNothingDone: true } },
    { on: ['create', 'delete'], probability: each, do: { kind: 'timeout', effect: 'done' } },
    { on: [...operations], probability: each, do: { kind: 'timeout', effect: 'none' } },
    { on: ['create', 'delete'], probability: each, do: { kind: 'timeout', effect: 'late', lateSeconds: 1.2 } },
    { on: ['create', 'delete'], probability: each, do: { kind: 'reset', effect: 'done' } },
    { on: [...operations], probability: each, do: { kind: 'reset', effect: 'none' } },
    { on: ['create', 'delete'], probability: each, do: { kind: 'reset', effect: 'late', lateSeconds: 0.8 } },
    { on: 'create', probability: each, do: { kind: 'quota' } },
    { on: [...operations], probability: each, do: { kind: 'garbled' } },
    { on: 'create', probability: 4 * each, do: { kind: 'sold-out' } },
    { on: 'create', probability: each, do: { kind: 'never-running' } },
    { on: 'create', probability: each, do: { kind: 'never-registers' } },
    { on: 'create', probability: each, do: { kind: 'never-ready' } },
    { on: 'create', probability: each, do: { kind: 'vanish', afterSeconds: 2 } },
    {
      on: 'create',
      offering: { capacityType: 'spot' },
      probability: each,
      do: { kind: 'interrupt', afterSeconds: 2, noticeSeconds: 1 },
    },
    { on: 'list', do: { kind: 'lag', seconds: 0.5 } },
  ];
}

/** Creates that Azure takes and that fail afterwards, and sizes and quotas that can't be asked for. */
export function poolFaults(): FaultRules {
  const message = 'The machine could not be made.';
  return [
    { on: 'create', probability: 0.01, do: { kind: 'operation-fails', code: 'InternalOperationError', message } },
    { on: 'create', probability: 0.01, do: { kind: 'operation-fails', code: 'ZonalAllocationFailed', message } },
    { on: 'types', probability: 0.05, do: { kind: 'error', status: 503 } },
  ];
}

/** Single offerings of a fleet that can't be had, launches that are refused in other ways, and look-ups that fail. */
export function fleetFaults(): FaultRules {
  const refused = (code: string) => ({ kind: 'refused' as const, status: 400, code, message: 'It was asked for.' });
  return [
    { on: 'create', offering: { zone: 'us-east-1a' }, probability: 0.2, do: { kind: 'sold-out' } },
    {
      on: 'create',
      offering: { zone: 'us-east-1b' },
      probability: 0.05,
      do: refused('InsufficientFreeAddressesInSubnet'),
    },
    {
      on: 'create',
      offering: { capacityType: 'spot' },
      probability: 0.05,
      do: refused('MaxSpotInstanceCountExceeded'),
    },
    { on: 'create', probability: 0.01, do: refused('RequestExpired') },
    { on: 'create', probability: 0.01, do: refused('IdempotentParameterMismatch') },
    { on: 'create', probability: 0.01, do: refused('InvalidLaunchTemplateName.NotFoundException') },
    { on: 'types', probability: 0.05, do: { kind: 'error', status: 503 } },
  ];
}

/** Deploys of CloudStack that fail in their job, refusals with its codes, and the call that tags, which has faults of its own. */
export function machineFaults(): FaultRules {
  const refused = (status: number) => ({
    kind: 'refused' as const,
    status,
    code: String(status),
    message: 'It was asked for.',
  });
  const fails = (code: string) => ({ kind: 'operation-fails' as const, code, message: 'It was asked for.' });
  return [
    { on: 'create', offering: { zone: 'zone-01' }, probability: 0.2, do: { kind: 'sold-out' } },
    { on: 'create', probability: 0.01, do: fails('533') },
    { on: 'create', probability: 0.01, do: fails('534') },
    { on: 'create', probability: 0.01, do: fails('530') },
    { on: 'create', probability: 0.01, do: refused(530) },
    { on: 'create', probability: 0.01, do: refused(535) },
    { on: 'tag', probability: 0.02, do: { kind: 'timeout', effect: 'done' } },
    { on: 'tag', probability: 0.02, do: { kind: 'reset', effect: 'done' } },
    { on: 'tag', probability: 0.02, do: { kind: 'reset', effect: 'late', lateSeconds: 0.8 } },
    { on: 'tag', probability: 0.02, do: { kind: 'reset', effect: 'none' } },
    { on: 'tag', probability: 0.02, do: { kind: 'error', status: 503, saysNothingDone: true } },
    { on: 'tag', probability: 0.01, do: refused(530) },
    { on: 'types', probability: 0.05, do: { kind: 'error', status: 503 } },
  ];
}
