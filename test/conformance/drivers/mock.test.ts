import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock, seededRandom } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import type { Caller } from '../../../shared/drivers/grpc/caller.ts';
import { grpcDriver } from '../../../shared/drivers/grpc/driver.ts';
import { handlersOf } from '../../../shared/drivers/grpc/handlers.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../../shared/drivers/mock/options.ts';
import { providerService } from '../../../shared/drivers/protocol/service.ts';
import { type DriverHarness, describeMachineDriver } from './conformance.ts';

/** Both ends of the protocol in one process: everything passes through the bytes of the messages. */
function overTheProtocol(driver: MachineDriver): MachineDriver {
  const handlers = handlersOf(driver);
  const call: Caller = async (name, request, signal) => {
    const definition = providerService[name];
    const received = definition.requestDeserialize(definition.requestSerialize(request));
    const answer = await handlers[name](received, signal);
    if (!answer.ok) return answer;
    return { ok: true, value: definition.responseDeserialize(definition.responseSerialize(answer.value)) };
  };
  return grpcDriver({ type: driver.type, call, close: () => driver.close() });
}

async function open(wrap: (driver: MachineDriver) => MachineDriver): Promise<DriverHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-mock-'));
  const clock = manualClock();
  const opened: MachineDriver[] = [];
  const start = (): MachineDriver => {
    const options = { ...mockDefaults, file: join(folder, 'mock.db') };
    const driver = wrap(mockDriver(options, { clock, timers: systemTimers, random: seededRandom(1) }));
    opened.push(driver);
    return driver;
  };
  return {
    driver: start(),
    pass: (milliseconds) => clock.advance(milliseconds),
    reopen: async () => start(),
    close: async () => {
      for (const driver of opened) await driver.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describeMachineDriver('mock', () => open((driver) => driver));
describeMachineDriver('mock, through the messages of the protocol', () => open(overTheProtocol));
