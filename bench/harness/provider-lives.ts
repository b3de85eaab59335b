/** Claims whose machines are behind a provider server, which is the mock. */
import type { Json } from '../../shared/base/json.ts';
import { machineNodeClass } from '../../sim/remote/node-class.ts';
import { type Lives, type StandInStats, standInLives } from './stand-in.ts';

/** So many claims at once, up and down again, on a fresh world and a fresh host. */
export const providerLives = (settings: object, count: number): Promise<Lives<StandInStats>> =>
  standInLives<StandInStats>(
    {
      provider: 'remote',
      settings,
      options: {},
      nodeClass: { path: '/apis/poolwright.dev/v1alpha1/machinenodeclasses', body: machineNodeClass() },
      claim,
    },
    count,
  );

const claim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'MachineNodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '1', memory: '1Gi' } },
  },
});
