/** The machines of a hypervisor, listed for many askers at once. An answer is never older than the question: it may decide that there is none. */
import { failed, type Result } from '../../base/result.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { ListedMachine, MachineDriver } from '../../drivers/contract.ts';

type Listing = Promise<Result<readonly ListedMachine[]>>;

interface Listings {
  running?: Listing | undefined;
  /** Begins when the running one has ended; everyone who asks until then shares it. */
  next?: Listing | undefined;
}

const listings = new WeakMap<MachineDriver, Listings>();
const longestMs = 120_000;

export async function listMachines(driver: MachineDriver, signal: AbortSignal): Listing {
  const known = listings.get(driver) ?? {};
  listings.set(driver, known);
  const start = (): Listing => {
    const run = driver.list(AbortSignal.timeout(longestMs));
    known.running = run;
    const done = (): void => {
      if (known.running === run) known.running = undefined;
    };
    run.then(done, done);
    return run;
  };
  const shared = (): Listing => {
    if (known.running === undefined) return start();
    known.next ??= known.running
      .catch(() => undefined)
      .then(() => {
        known.next = undefined;
        return start();
      });
    return known.next;
  };
  return (await untilAborted(shared(), signal)) ?? failed('unavailable', 'the list was canceled');
}
