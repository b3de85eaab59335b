/** What a command is: its name, its parameters, who may call it, and what it does. */
import type { FaultDecision, FaultSubject, Operation } from '../../kit/faults.ts';
import type { Jobs } from '../jobs.ts';
import type { MachineRoom } from '../machines/machine-room.ts';
import type { CloudStackSettings } from '../settings.ts';
import type { Account, Site } from '../site/types.ts';
import type { Outcome } from '../wire/answer.ts';
import type { Arguments } from '../wire/fields.ts';
import type { CloudStackWorld } from '../world.ts';

export interface Parts {
  site: Site;
  world: CloudStackWorld;
  settings: CloudStackSettings;
  jobs: Jobs;
  machines: MachineRoom;
}

export interface Call {
  given: Arguments;
  caller: Account;
  /** The caller is a root administrator. */
  admin: boolean;
  faults: FaultDecision;
}

export interface Command {
  name: string;
  isAsync: boolean;
  adminOnly?: boolean;
  /** Name and type of each, `*` before those that have to be there. */
  params: string;
  /** For the faults. */
  operation: Operation;
  subject?: (call: Call, parts: Parts) => FaultSubject;
  run: (call: Call, parts: Parts) => Outcome;
}

export interface Parameter {
  name: string;
  type: string;
  required: boolean;
}

export const parametersOf = ({ params }: Command): Parameter[] =>
  params
    .split(/\s+/)
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', type = 'string'] = one.replace('*', '').split(':');
      return { name, type, required: one.startsWith('*') };
    });
