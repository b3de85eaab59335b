import { VirtualEngine } from '../../../shared/workflow/virtual/engine.ts';
import type { Harness, HarnessSetup } from './harness.ts';

export async function makeVirtualHarness(setup: HarnessSetup): Promise<Harness> {
  const engine = new VirtualEngine(setup);
  return {
    client: engine,
    now: () => engine.clock.now(),
    runUntilIdle: () => engine.runUntilIdle(),
    runFor: (seconds) => engine.runUntil(engine.clock.now() + seconds * 1000),
    // It has no memory beside the histories: every step is a restart.
    restart: async (workflows) => {
      if (workflows) engine.replaceCode(workflows);
    },
    crashAt: (execution, when) => engine.crashAt(execution, when),
    close: async () => undefined,
  };
}
