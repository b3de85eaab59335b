import { expect, it } from 'vitest';
import type { Provider } from '../../providers/contract.ts';
import type { StoredClaim } from './claim-access.ts';
import { servingAs } from './provider-choice.ts';
import type { ClusterServices } from './services.ts';

const kind = { group: 'poolwright.dev', version: 'v1alpha1', kind: 'SimNodeClass', plural: 'simnodeclasses' };
const claim = {
  metadata: { name: 'one', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { nodeClassRef: { group: kind.group, kind: kind.kind, name: 'default' }, requirements: [] },
} as StoredClaim;

/** Knows the claim's node class, and would not take the claim today. */
const cluster = (providerTypes?: ReadonlyMap<string, string>) =>
  ({
    providers: [{ name: 'cheap', nodeClasses: [kind] } as unknown as Provider],
    serving: () => [],
    ...(providerTypes ? { providerTypes } : {}),
  }) as unknown as ClusterServices;

it('a provider that made the machine of a claim serves it under its own name and its type', () => {
  expect(servingAs(cluster(new Map([['cheap', 'sim']])), claim, 'cheap')).toMatchObject({ type: 'sim' });
});

it('a provider without a name of its own is called like its type', () => {
  expect(servingAs(cluster(), claim, 'cheap')).toMatchObject({ type: 'cheap' });
  expect(servingAs(cluster(), claim, 'another')).toBeUndefined();
});
