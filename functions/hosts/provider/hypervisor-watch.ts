/** Asks the driver every so often whether its hypervisor can be reached, and counts its machines. */
import { errorText } from '../../../shared/base/error-text.ts';
import { failed, type Result } from '../../../shared/base/result.ts';
import type { Timers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { ServerMetrics } from './metrics.ts';

export interface HypervisorWatchOptions {
  driver: MachineDriver;
  /** The provider, and the address of its hypervisor, for metrics. */
  provider: string;
  endpoint: string;
  intervalSeconds: number;
  metrics: ServerMetrics;
  log: Log;
  timers: Timers;
  onChange(reachable: boolean): void;
}

const patienceMs = 10_000;

export interface HypervisorWatch {
  /** The first look. */
  readonly looked: Promise<void>;
  /** Why it cannot work now. */
  readonly problem: string | undefined;
  stop(): void;
}

export function watchHypervisor(options: HypervisorWatchOptions): HypervisorWatch {
  const { driver, metrics, log, timers } = options;
  let problem: string | undefined = 'the hypervisor has not been asked yet';
  let reachable: boolean | undefined;
  let stopped = false;
  let cancel = (): void => undefined;

  async function look(): Promise<void> {
    const abort = new AbortController();
    const late = timers.after(patienceMs, () => abort.abort());
    const [valid, listed] = await Promise.all([
      answerOf(driver.validate(abort.signal)),
      answerOf(driver.list(abort.signal)),
    ]);
    late();
    if (stopped) return;
    problem = valid.ok ? undefined : valid.error.message;
    metrics.health.set({ provider: options.provider }, valid.ok ? 1 : 0);
    metrics.connection.set({ endpoint: options.endpoint }, valid.ok ? 1 : 0);
    if (listed.ok) {
      const running = listed.value.filter(({ power }) => power === 'On').length;
      metrics.machines.set({ state: 'running' }, running);
      metrics.machines.set({ state: 'stopped' }, listed.value.length - running);
    }
    if (valid.ok === reachable) return;
    const first = reachable === undefined;
    reachable = valid.ok;
    if (!valid.ok) log.write('provider-server.hypervisor.unreachable', { error: valid.error.message });
    else if (!first) log.write('provider-server.hypervisor.reachable');
    options.onChange(valid.ok);
  }

  const again = (): void => {
    if (stopped) return;
    cancel = timers.after(options.intervalSeconds * 1000, () => void look().finally(again));
  };
  const looked = look().finally(again);
  return {
    looked,
    get problem() {
      return problem;
    },
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

/** A driver from a file may throw. That counts as a hypervisor that does not respond, and does not end the server. */
const answerOf = <T>(answer: Promise<Result<T>>): Promise<Result<T>> =>
  answer.catch((error: unknown) => failed('unavailable', `the driver failed: ${errorText(error)}`));
