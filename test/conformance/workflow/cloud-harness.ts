/** What the harnesses of the drivers on clouds share: a client that is looked after, and time that is moved by hand. */
import type { Json } from '../../../shared/base/json.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { State } from '../../../shared/state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import type { StartRequest, WorkflowClient } from '../../../shared/workflow/contract.ts';
import type { Workflow } from '../../../shared/workflow/vocabulary.ts';
import type { Harness, HarnessSetup } from './harness.ts';

export type ManualClock = ReturnType<typeof manualClock>;

export interface CloudSetup extends HarnessSetup {
  /** Shared with the world that the activities live in. */
  clock?: ManualClock;
  state?: State;
}

export interface CloudHarness extends Harness {
  readonly state: State;
  readonly clock: ManualClock;
  /** Another one like the harness's own, as in another process. */
  newClient(): WorkflowClient;
  /** Runs what is due now, and nothing later. */
  settle(): Promise<void>;
}

export function cloudParts(setup: CloudSetup): { clock: ManualClock; state: State } {
  const clock = setup.clock ?? manualClock();
  return { clock, state: setup.state ?? openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock }) };
}

/** The stand-in for the platform. */
export interface Platform {
  runDue(): Promise<void>;
  /** When something is due next; infinity when nothing is. */
  nextDue(): number;
  countRunning(): number;
  /** What the code of now is, and who asks for it. */
  workflows(): readonly Workflow[];
  current(): WorkflowClient;
}

export function onPlatform(
  platform: Platform,
  clock: ManualClock,
): Pick<CloudHarness, 'client' | 'settle' | 'now' | 'runUntilIdle' | 'runFor'> {
  const requests = new Map<string, StartRequest>();

  /** The product's resync, which makes sure that whatever is not done has a workflow. */
  async function resync(): Promise<boolean> {
    let restarted = false;
    for (const [key, request] of requests) {
      if ((await platform.current().latest(key))?.status !== 'mismatched') continue;
      const workflow = platform.workflows().find(({ name }) => name === request.workflow.name);
      if (workflow) restarted = (await platform.current().ensure({ ...request, workflow })).started || restarted;
    }
    return restarted;
  }

  async function settle(): Promise<void> {
    do await platform.runDue();
    while (await resync());
  }

  const moveToNext = async (): Promise<void> => {
    clock.advance(Math.max(0, platform.nextDue() - clock.now()));
    await settle();
  };

  return {
    client: {
      ensure<Input extends Json>(request: StartRequest<Input>) {
        const started = platform.current().ensure(request);
        // What can't be started is nothing to look after.
        void started.then(
          () => requests.set(request.key, request as StartRequest),
          () => undefined,
        );
        return started;
      },
      signal: (key, name) => platform.current().signal(key, name),
      latest: (key) => platform.current().latest(key),
    },
    settle,
    now: () => clock.now(),
    async runUntilIdle() {
      await settle();
      for (let rounds = 0; platform.countRunning() > 0; rounds++) {
        if (rounds > 10_000 || platform.nextDue() === Number.POSITIVE_INFINITY) {
          throw new Error('the platform does not come to rest');
        }
        await moveToNext();
      }
    },
    async runFor(seconds) {
      const until = clock.now() + seconds * 1000;
      await settle();
      while (platform.nextDue() <= until) await moveToNext();
      clock.advance(until - clock.now());
    },
  };
}
