/** A machine driver that somebody else wrote, from a file: `poolwright provider --driver ./driver.js`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorText } from '../../../shared/base/error-text.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Clock, Random } from '../../../shared/base/runtime.ts';
import type { Timers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import type { ReadCredentials } from './credentials.ts';

/** What a driver is given. */
export interface DriverContext {
  /** Of the Provider object: `vsphere`. */
  type: string;
  /** The address of the hypervisor, as the Provider object has it. */
  endpoint: string;
  /** The files of the mounted Secret, read again with each call. */
  credentials: ReadCredentials;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  timers: Timers;
  random: Random;
}

/** What the file exports as its default. */
export type CreateDriver = (context: DriverContext) => MachineDriver | Promise<MachineDriver>;

/** All that the server may call. */
const methods = [
  'validate',
  'capabilities',
  'create',
  'delete',
  'power',
  'reconfigure',
  'upgradeHardware',
  'describe',
  'task',
  'list',
  'createSnapshot',
  'deleteSnapshot',
  'revertToSnapshot',
  'clone',
  'prepareImage',
  'exportDisk',
  'importDisk',
  'diskInfo',
  'close',
] as const satisfies readonly (keyof MachineDriver)[];

export async function loadDriver(file: string, context: DriverContext): Promise<Result<MachineDriver>> {
  try {
    const loaded = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown };
    if (typeof loaded.default !== 'function') {
      return failed('invalid', `${file} has no default export that is a function`);
    }
    const driver = await (loaded.default as CreateDriver)(context);
    const missing = methods.filter((name) => typeof driver?.[name] !== 'function');
    if (missing.length > 0) {
      const text = `the driver of ${file} lacks ${missing.join(', ')}; what it cannot do returns a failure with the code NotSupported`;
      return failed('invalid', text);
    }
    return ok(driver);
  } catch (error) {
    return failed('invalid', `${file} cannot be loaded: ${errorText(error)}`);
  }
}
