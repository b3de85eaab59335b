/** Drivers of virtual machines that run within this host: one that is for trials, and keeps its machines in a SQLite file. */
import { defined } from '../../../shared/base/defined.ts';
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import type { InProcessConfig } from '../../../shared/config/machine-places.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../../shared/drivers/mock/options.ts';

export const inProcessDriver = ({ stateFile }: InProcessConfig): MachineDriver =>
  mockDriver(
    { ...mockDefaults, ...defined({ file: stateFile }) },
    { clock: systemClock, random: systemRandom, timers: systemTimers },
  );
