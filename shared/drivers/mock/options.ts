import { failedBy, misspelled } from '../../base/problems.ts';
import { ok, type Result } from '../../base/result.ts';

/** What can be made to fail, under the names that provider-mock of VirtRigaud takes. */
export const failureModes = [
  'validate',
  'create',
  'delete',
  'power',
  'reconfigure',
  'describe',
  'task_status',
  'snapshot_create',
  'snapshot_delete',
  'snapshot_revert',
  'clone',
  'image_prepare',
  'all',
] as const;
export type FailureMode = (typeof failureModes)[number];

export interface MockOptions {
  /** Where the machines are kept; several servers may share it. `:memory:` ends with the process. */
  file: string;
  failure?: FailureMode;
  /** Each call takes 100 to 600 ms. */
  slow: boolean;
  /** Begins with three machines, as provider-mock does. */
  seeded: boolean;
  /** How many machines there is room for. */
  maxMachines: number;
  /** How long tasks take, as a multiple of what they take by default: 0 ends them at once. */
  taskTime: number;
}

export const mockDefaults: MockOptions = {
  file: ':memory:',
  slow: false,
  seeded: true,
  maxMachines: 100_000,
  taskTime: 1,
};

export function mockOptionsFrom(env: Readonly<Record<string, string | undefined>>): Result<MockOptions> {
  const { MOCK_FAILURE_MODE: failure = '', MOCK_MAX_MACHINES: most, MOCK_TASK_TIME: time } = env;
  if (failure !== '' && !isFailureMode(failure)) {
    const message = `must be one of ${failureModes.join(', ')}`;
    return failedBy([misspelled('MOCK_FAILURE_MODE', message, failure, failureModes)]);
  }
  for (const [name, value] of Object.entries({ MOCK_MAX_MACHINES: most, MOCK_TASK_TIME: time })) {
    if (value !== undefined && !(Number(value) >= 0))
      return failedBy([{ path: name, message: 'must be a number, 0 or more' }]);
  }
  return ok({
    file: env.MOCK_STATE_FILE ?? mockDefaults.file,
    slow: env.MOCK_SLOW_MODE === 'true',
    seeded: env.MOCK_SEEDED !== 'false',
    maxMachines: most === undefined ? mockDefaults.maxMachines : Number(most),
    taskTime: time === undefined ? mockDefaults.taskTime : Number(time),
    ...(isFailureMode(failure) ? { failure } : {}),
  });
}

const isFailureMode = (text: string): text is FailureMode => (failureModes as readonly string[]).includes(text);
