/** Volumes: the root disk of each VM, and data disks with a life of their own. */
import type { Vm } from './machines/vm.ts';
import type { DiskOffering, Owner, Tags, Zone } from './site/types.ts';

export interface Volume {
  readonly id: string;
  name: string;
  readonly type: 'ROOT' | 'DATADISK';
  readonly owner: Owner;
  readonly zone: Zone;
  /** GB. */
  size: number;
  readonly diskOffering: DiskOffering | undefined;
  vm: Vm | undefined;
  deviceId: number | undefined;
  attachedAt: number | undefined;
  tags: Tags;
  readonly created: number;
  state: 'Allocated' | 'Ready' | 'Destroy';
}
