import { expect, it } from 'vitest';
import { testContext } from '../../../test/stand-ins/provider-context.ts';
import { ok } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import type { Provider } from '../../providers/contract.ts';
import type { InstanceType } from '../claims/choice/offerings.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import type { LifecycleServices } from '../steps/services.ts';
import { pickOffering } from './pick-offering.ts';
import { markUnavailable } from './unavailable-offerings.ts';

const type = (name: string, cpu: string, price: number): InstanceType => ({
  name,
  labels: {},
  capacity: { cpu },
  offerings: [{ instanceType: name, zone: 'a', capacityType: 'on-demand', price, available: true }],
});

const claimFor = (name: string, cpu: string) =>
  ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: name, resourceVersion: '1' },
    spec: {
      nodeClassRef: { group: 'example.com', kind: 'Class', name: 'default' },
      requirements: [],
      resources: { requests: { cpu } },
    },
  }) as unknown as StoredClaim;

function cloud() {
  const clock = manualClock();
  const { log, state } = testContext({ clock });
  const sold = { types: [type('small', '2', 1), type('large', '16', 8)] };
  const provider = { name: 'cloud', traits: {}, instanceTypes: async () => ok(sold.types) } as unknown as Provider;
  const settings = { catalogSeconds: 300, unavailableSeconds: 60, unavailableAtMostSeconds: 3600 };
  const services = { clock, log, state, settings } as unknown as LifecycleServices;
  const pick = async (name: string, cpu: string) => {
    const nodeClass = { name: 'default', spec: {}, uid: 'x' };
    const picked = await pickOffering(services, provider, nodeClass, claimFor(name, cpu), new AbortController().signal);
    return { type: picked.do === 'take' ? picked.best.instanceType : picked.do, picked };
  };
  return { clock, pick, services, sold };
}

const choiceOf = ({ picked }: Awaited<ReturnType<ReturnType<typeof cloud>['pick']>>) =>
  picked.do === 'take' ? picked.chosen.choice : undefined;

it('claims that wish the same share one choice, others do not', async () => {
  const { pick } = cloud();
  const first = await pick('first', '1');
  expect(choiceOf(first)).toBeDefined();
  expect(choiceOf(await pick('second', '1'))).toBe(choiceOf(first));
  expect((await pick('third', '8')).type).toBe('large');
});

it('an offering that is marked as unavailable is left out at once, and taken again when the mark is over', async () => {
  const { clock, pick, services } = cloud();
  expect((await pick('first', '1')).type).toBe('small');
  const refused = { instanceType: 'small', zone: 'a', capacityType: 'on-demand' } as const;
  await markUnavailable(services, 'cloud', refused, { kind: 'insufficient-capacity', message: 'none left' }, 60);
  expect((await pick('second', '1')).type).toBe('large');
  clock.advance(61_000);
  expect((await pick('third', '1')).type).toBe('small');
});

it('a new list of instance types is chosen from anew', async () => {
  const { clock, pick, sold } = cloud();
  expect((await pick('first', '1')).type).toBe('small');
  sold.types = [type('large', '16', 8)];
  clock.advance(301_000);
  expect((await pick('second', '1')).type).toBe('large');
});
