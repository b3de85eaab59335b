/** Services for requests for clusters, kept in memory, with a driver that has nothing to do: enough to ask, to write and to refuse. */

import type { FunctionServices } from '../../functions/declaration.ts';
import { failed, ok } from '../../shared/base/result.ts';
import { seededRandom } from '../../shared/base/runtime.ts';
import type { ClusterDriver } from '../../shared/clusters/drivers/contract.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestServices, RequestPlace } from '../../shared/clusters/services.ts';
import type { StoredRequest } from '../../shared/clusters/store/contract.ts';
import { stateRequestStore } from '../../shared/clusters/store/state.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import type { State } from '../../shared/state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';

const idleDriver: ClusterDriver = {
  name: 'aso',
  served: async () => ok({}),
  probe: async () => ok({ state: 'free' }),
  apply: async () => ok(undefined),
  look: async () => ok({ state: 'absent' }),
  remove: async () => ok(undefined),
  lookRemoved: async () => ok({ state: 'gone' }),
  access: async () => failed('not-ready', 'no cluster is made here'),
  observe: async () => ok(undefined),
  find: async () => ok([]),
};

export const requestSettings = { driftSeconds: 3600, pollSeconds: 15, retrySeconds: 600, graceSeconds: 60 };

export const memoryState = ({ clock }: Pick<FunctionServices, 'clock'>): State =>
  openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });

/** Each place with a state of its own, so that the same names can be in both. */
export function requestServices(
  services: FunctionServices,
  names: readonly string[] = ['production', 'staging'],
  more: Partial<RequestPlace> = {},
): ClusterRequestServices {
  const { clock, ids, log, metrics, state, workflows } = services;
  const places = names.map((name, index): RequestPlace => {
    const kept = index === 0 ? state : memoryState(services);
    const store = { ...stateRequestStore({ state: kept, clock, ids }), name };
    return { name, store, driver: { ...idleDriver }, poolTypes: builtInPoolTypes, settings: requestSettings, ...more };
  });
  return {
    deployment: 'test',
    places,
    place: (name) => places.find((one) => one.name === name),
    openNewCluster: async () => failed('not-ready', 'no cluster is made here'),
    register: {
      registerCluster: async () => ok(undefined),
      unregisterCluster: async () => ok(undefined),
      list: async () => ok([]),
    },
    ownership: soleOwner,
    state,
    workflows,
    clock,
    ids,
    random: seededRandom(1),
    log,
    metrics,
  };
}

export const aRequest = (name = 'web', namespace = 'team-a', spec: object = {}) => ({
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'ClusterRequest',
  metadata: { name, namespace },
  spec: { location: 'westeurope', kubernetesVersion: '1.35', ...spec },
});

/** Puts one there without asking the API. */
export async function stored(place: RequestPlace | undefined, request = aRequest()): Promise<StoredRequest> {
  const made = await place?.store.create({ ...request.metadata, spec: request.spec });
  if (made?.ok !== true) throw new Error(made?.error.message ?? 'no such place');
  return made.value;
}
