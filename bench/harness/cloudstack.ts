/** Claims whose machines are VMs of the stand-in for CloudStack, all of them alike. */
import type { Json } from '../../shared/base/json.ts';
import { cloudStackNodeClass } from '../../sim/cloudstack/node-class.ts';
import { type Lives, type StandInStats, standInLives } from './stand-in.ts';

/** Calls are by command. */
export type CloudStackStats = StandInStats & {
  throttled: number;
  jobs: number;
  /** When each command was asked for last, in milliseconds. */
  lastCalls: Record<string, number>;
};

/** So many claims at once, up and down again, on a fresh world and a fresh host. */
export const cloudStackLives = (
  settings: object,
  options: { [key: string]: Json },
  count: number,
): Promise<Lives<CloudStackStats>> =>
  standInLives<CloudStackStats>(
    {
      provider: 'cloudstack',
      settings,
      options,
      nodeClass: {
        path: '/apis/karpenter.k8s.cloudstack/v1/cloudstacknodeclasses',
        body: cloudStackNodeClass(),
      },
      claim,
    },
    count,
  );

const claim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.cloudstack', kind: 'CloudStackNodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '1', memory: '1Gi' } },
  },
});
