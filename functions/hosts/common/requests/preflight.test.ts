import { describe, expect, it } from 'vitest';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import { manualClock } from '../../../../shared/base/runtime.ts';
import type { AzureFacts } from '../../../../shared/clusters/preflight/azure-facts.ts';
import type { Resolved } from '../../../../shared/clusters/resolved/resolve.ts';
import { preflightOf } from './preflight.ts';

const clock = manualClock(Date.UTC(2026, 8, 1));
const resolved = { location: 'westeurope' } as Resolved;
const of = (azure?: Partial<AzureFacts>) =>
  preflightOf({ deployment: 'test', api: undefined, clock, azure: azure as AzureFacts | undefined });
const silent = async () => failed('unavailable', 'no route');

describe('what admission is told of Azure', () => {
  it('is where AKS is, and what it offers there', async () => {
    const versions = async () => ok([{ minor: '1.36', patches: [], supportPlans: ['KubernetesOfficial'] }]);
    const { facts } = of({ locations: async () => ok(['westeurope']), versions });
    expect(await facts?.(resolved)).toEqual({
      locations: ['westeurope'],
      versions: { asOf: 'westeurope', complete: true, versions: [{ minor: '1.36', ends: '2027-06-30' }] },
    });
  });

  it('is nothing where Azure is silent, or is not to be asked', async () => {
    expect(await of({ locations: silent, versions: silent }).facts?.(resolved)).toEqual({});
    expect(await of().facts?.(resolved)).toEqual({});
  });

  it('is nothing where Azure is slow', async () => {
    const hangs = (...given: unknown[]) =>
      new Promise<Result<never>>((resolve) => {
        const signal = given.at(-1) as AbortSignal;
        signal.addEventListener('abort', () => resolve(failed('unavailable', 'given up')));
      });
    const patient = new AbortController();
    const asked = of({ locations: hangs, versions: hangs }).facts?.(resolved, patient.signal);
    patient.abort(new Error('that was long enough'));
    await expect(asked).resolves.toEqual({});
  });
});
