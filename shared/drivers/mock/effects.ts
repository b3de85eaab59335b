/** What a task of the mock does when its time has come. */
import type { MachineSpec } from '../machine-spec.ts';

export type Effect =
  | { do: 'nothing' }
  | { do: 'power'; machine: string; power: 'On' | 'Off' }
  | { do: 'delete'; machine: string }
  | { do: 'reconfigure'; machine: string; spec: MachineSpec }
  | { do: 'snapshot'; machine: string; snapshot: string }
  | { do: 'delete-snapshot'; machine: string; snapshot: string }
  | { do: 'revert'; machine: string; snapshot: string };

export type TaskKind =
  | 'create'
  | 'delete'
  | 'power'
  | 'reconfigure'
  | 'snapshot-create'
  | 'snapshot-delete'
  | 'snapshot-revert'
  | 'clone'
  | 'image'
  | 'disk';

/** As long as those of provider-mock. */
export const taskSeconds: Readonly<Record<TaskKind, number>> = {
  create: 2,
  delete: 1,
  power: 1,
  reconfigure: 3,
  'snapshot-create': 5,
  'snapshot-delete': 2,
  'snapshot-revert': 4,
  clone: 10,
  image: 15,
  disk: 5,
};
