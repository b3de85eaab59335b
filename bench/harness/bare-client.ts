/** Starts the bare client in the host's place. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { defined } from '../../shared/base/defined.ts';
import type { CallPlan } from '../bare/plan.ts';
import { endProcess, mustStay } from './end-process.ts';
import { rememberProcess } from './leftovers.ts';
import type { WorldProcess } from './world.ts';

export interface BareClient {
  readonly pid: number;
  /** Ends it; throws when more than a few of its calls failed, because it then did less than the host. */
  end(callsMade: number): Promise<void>;
}

/** As `workflow.perCluster` is by default. */
const concurrency = 128;
const mostFailures = 0.02;

export async function startBareClient(world: WorldProcess, plan: CallPlan, commits?: string): Promise<BareClient> {
  const file = fileURLToPath(new URL('../bare/process.ts', import.meta.url));
  const settings = {
    cluster: world.clusterUrl,
    cloud: world.cloudUrl,
    concurrency,
    plan,
    ...defined({ commits }),
  };
  const child = fork(file, [JSON.stringify(settings)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('the bare client could not be started');
  rememberProcess(pid);
  mustStay(child, 'the bare client');
  await once(child, 'message');
  return {
    pid,
    end: async (callsMade) => {
      child.send({ ask: 'failures' });
      const [{ failures }] = (await once(child, 'message')) as [{ failures: number }];
      await endProcess(child, 'SIGKILL');
      if (failures > callsMade * mostFailures) {
        throw new Error(`${failures} of ${callsMade} bare calls failed: the baseline would be too quick`);
      }
    },
  };
}
