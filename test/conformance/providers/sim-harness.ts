/** The sim provider before a simulated cloud with a clock that is moved by hand. */

import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import type { ProviderTraits } from '../../../shared/providers/contract.ts';
import { createSimProvider } from '../../../shared/providers/sim/provider.ts';
import { startSimCloud } from '../../../sim/cloud/start.ts';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import type { Injection, ProviderHarness, ProviderUnderTest } from './harness.ts';

const offering = { instanceType: 'general-medium', zone: 'zone-b', capacityType: 'on-demand' } as const;

export const simUnderTest = (idempotency: ProviderTraits['idempotency']): ProviderUnderTest => ({
  idempotency,
  injections: [
    'lose-answer',
    'lose-request',
    'late-effect',
    'hold',
    'lag',
    'throttle',
    'conflict',
    'sold-out',
    'quota',
    'unauthorised',
    'server-error',
    'harmless-server-error',
    'garble',
    'list-sold-out',
    'shut-down',
  ],
  start: () => startSimHarness(idempotency),
});

async function startSimHarness(idempotency: ProviderTraits['idempotency']): Promise<ProviderHarness> {
  const clock = manualClock();
  const cloud = await startSimCloud({
    clock,
    ids: countingIds(),
    wakeByItself: false,
    idempotency: idempotency === 'claim-name' ? 'name' : idempotency,
    bootSeconds: 30,
    deleteSeconds: 10,
  });
  const providers: { close(): void }[] = [];
  const newProvider = () => {
    const provider = createSimProvider({ url: cloud.url, clock, traits: { idempotency }, pageSize: 2 });
    providers.push(provider);
    return provider;
  };
  return {
    provider: newProvider(),
    anotherProvider: newProvider,
    nodeClass: { name: 'default', spec: { image: 'sim-image-2', tags: { team: 'web' } } },
    wrongNodeClass: { spec: { bootSecond: 3 }, field: 'spec.bootSecond' },
    offering,
    advance: async (seconds) => {
      clock.advance(Math.ceil(seconds * 1000));
      await cloud.settle();
    },
    makeForeign: async (name) => {
      const body = JSON.stringify({ name, ...offering, tags: { owner: 'somebody else' } });
      const answer = await fetch(`${cloud.url}/instances`, { method: 'POST', body });
      return ((await answer.json()) as { id: string }).id;
    },
    living: async () =>
      cloud
        .ledger()
        .filter(({ goneAt }) => goneAt === null)
        .map(({ id }) => id),
    inject: async (injection) => {
      if (injection.do === 'shut-down') await cloud.close();
      else await cloud.setFaults([toRule(injection)]);
    },
    untilHeld: () => cloud.held(1),
    close: async () => {
      for (const provider of providers) provider.close();
      await cloud.close();
    },
  };
}

function toRule(injection: Exclude<Injection, { do: 'shut-down' }>): FaultRule {
  switch (injection.do) {
    case 'lose-answer':
      return { on: injection.on, count: 1, do: { kind: 'reset', effect: 'done' } };
    case 'lose-request':
      // A GET that breaks on a reused connection is tried a second time on a fresh one; a write never is.
      return {
        on: injection.on,
        count: injection.on === 'get' || injection.on === 'list' ? 2 : 1,
        do: { kind: 'reset' },
      };
    case 'late-effect':
      return { on: injection.on, count: 1, do: { kind: 'reset', effect: 'late', lateSeconds: injection.seconds } };
    case 'hold':
      return { on: injection.on, count: 1, do: { kind: 'timeout' } };
    case 'lag':
      return { on: 'list', do: { kind: 'lag', seconds: injection.seconds } };
    case 'throttle': {
      const { retryAfterSeconds } = injection;
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      return { on: injection.on, count: 1, do: { kind: 'throttle', ...wait } };
    }
    case 'conflict':
      return { on: injection.on, count: 1, do: { kind: 'conflict' } };
    case 'sold-out':
      return { on: 'create', offering, count: 1, do: { kind: 'sold-out' } };
    case 'quota':
      return { on: 'create', count: 1, do: { kind: 'quota' } };
    case 'unauthorised':
      return { on: injection.on, count: 1, do: { kind: 'unauthorised' } };
    case 'server-error':
      return { on: injection.on, count: 1, do: { kind: 'error', status: 503 } };
    case 'harmless-server-error':
      return { on: injection.on, count: 1, do: { kind: 'error', status: 503, saysNothingDone: true } };
    case 'garble':
      return { on: injection.on, count: 1, do: { kind: 'garbled' } };
    case 'list-sold-out':
      return { on: 'create', offering, do: { kind: 'sold-out', listed: true } };
  }
}
