import { expect, it } from 'vitest';
import type { StoredRequest } from '../store/contract.ts';
import { phaseOf } from './phase-of.ts';

const request = (reason: string | undefined, { status = 'False', spec = {}, metadata = {} } = {}): StoredRequest =>
  ({
    metadata: { name: 'web', namespace: 'team-a', ...metadata },
    spec: { location: 'westeurope', ...spec },
    ...(reason === undefined ? {} : { status: { conditions: [{ type: 'Ready', status, reason }] } }),
  }) as unknown as StoredRequest;

it.each([
  ['new', request(undefined)],
  ['provisioning', request('Provisioning')],
  ['updating', request('Updating')],
  ['ready', request('Ready', { status: 'True' })],
  ['failed', request('VcpuQuotaTooSmall')],
  ['set-aside', request('DryRun', { spec: { dryRun: true } })],
  ['set-aside', request('Paused')],
  ['set-aside', request('Provisioning', { metadata: { annotations: { 'poolwright.dev/cancel': 'true' } } })],
  ['deleting', request('Ready', { metadata: { deletionTimestamp: '2026-09-01T12:00:00Z' } })],
])('it is %s', (phase, one) => {
  expect(phaseOf(one)).toBe(phase);
});
