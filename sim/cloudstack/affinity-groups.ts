/** Affinity groups: names that tell which VMs may share a host. */
import type { Owner } from './site/types.ts';

export const groupTypes = [
  'host anti-affinity',
  'host affinity',
  'non-strict host anti-affinity',
  'non-strict host affinity',
] as const;
export type GroupType = (typeof groupTypes)[number];

export interface AffinityGroup {
  id: string;
  name: string;
  type: GroupType;
  description: string;
  owner: Owner;
}
