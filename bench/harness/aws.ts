/** Claims whose machines are instances of the stand-in for AWS, all of them alike. */
import type { Json } from '../../shared/base/json.ts';
import { ec2NodeClass } from '../../sim/aws/node-class.ts';
import { type Lives, type StandInStats, standInLives } from './stand-in.ts';

/** Calls are `ec2:CreateFleet`, `ssm:GetParameters`, … */
export type FleetStats = StandInStats & { throttled: number; fleets: number };

/** So many claims at once, up and down again, on a fresh world and a fresh host. */
export const fleetLives = (
  settings: object,
  options: { [key: string]: Json },
  count: number,
): Promise<Lives<FleetStats>> =>
  standInLives<FleetStats>(
    {
      provider: 'ec2',
      settings,
      options,
      nodeClass: { path: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses', body: ec2NodeClass() },
      claim,
    },
    count,
  );

const claim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '2', memory: '4Gi' } },
  },
});
