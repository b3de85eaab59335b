/** What a provider is given in tests: nothing is remembered, no node is there, the cluster says nothing about itself. */
import { failed, ok } from '../../shared/base/result.ts';
import { manualClock } from '../../shared/base/runtime.ts';
import { noClusterSettings } from '../../shared/kube/cluster-settings.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import type { ProviderContext } from '../../shared/providers/context.ts';
import type { ClaimFacts, CreateRequest } from '../../shared/providers/contract.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';

export function testContext(overrides: Partial<ProviderContext> = {}): ProviderContext {
  const clock = overrides.clock ?? manualClock();
  return {
    cluster: 'dev',
    clock,
    random: () => 0.5,
    log: collectingLog(),
    state: openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock }),
    nodes: { list: async () => ok([]) },
    secrets: { read: async ({ namespace, name }) => failed('not-found', `there is no Secret ${namespace}/${name}`) },
    settings: noClusterSettings,
    env: {},
    ...overrides,
  };
}

/** A claim that says nothing about itself but its age. */
export const plainFacts: ClaimFacts = {
  createdAt: Date.UTC(2026, 10, 1),
  labels: {},
  annotations: {},
  taints: [],
  startupTaints: [],
  requests: {},
};

/** A create of an instance for a plain claim. */
export const aCreateRequest = (more: Partial<CreateRequest> = {}): CreateRequest => ({
  owner: { deployment: 'main', cluster: 'c-uid', claimUid: 'claim-uid', attempt: 1 },
  claimName: 'web',
  claim: plainFacts,
  name: more.claimName ?? 'web',
  token: 'token',
  offering: { instanceType: 'general-small', zone: 'zone-a', capacityType: 'on-demand' },
  nodeClass: { name: 'default', spec: {} },
  labels: {},
  taints: [],
  ...more,
});
