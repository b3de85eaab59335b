/**
 * How metrics leave a process that nobody can scrape: pushed to a collector where there is one, else as lines of the log. At the end
 * of an invocation, because in between the process may stand still.
 */
import type { Environment } from '../../../shared/base/environment.ts';
import type { Ids } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { OtlpPush } from '../../../shared/observe/otlp/push.ts';
import { chooseTarget } from '../../../shared/observe/otlp/target.ts';
import type { FunctionServices } from '../../declaration.ts';
import { MetricsReport } from './metrics-report.ts';
import { version } from './package-folder.ts';

type Counting = Pick<FunctionServices, 'metrics' | 'clock' | 'log'>;

export class MetricsOut {
  readonly #ids: Ids;
  readonly #startedAt: number;
  /** Made when the first call ends, because what makes ids takes long to load. */
  #out: { instance: string; report: MetricsReport } | undefined;
  /** By the services that count: another configuration makes others, with a collector of their own. */
  readonly #pushes = new WeakMap<Counting, Promise<OtlpPush | undefined>>();

  constructor(ids: Ids, now: number) {
    this.#ids = ids;
    this.#startedAt = now;
  }

  /** Takes two seconds at most, and never throws: what was done is done, whether it can be counted or not. */
  async ifDue(functions: Counting, config: Config, env: Environment): Promise<void> {
    try {
      this.#out ??= outOf(this.#ids.next(), this.#startedAt);
      const { instance, report } = this.#out;
      let push = this.#pushes.get(functions);
      if (push === undefined) {
        push = openPush(functions, config, env, { instance, version });
        this.#pushes.set(functions, push);
      }
      const opened = await push;
      await (opened === undefined ? report.ifDue(functions) : opened.ifDue());
    } catch {
      // Neither a log nor a collector is worth an invocation.
    }
  }
}

const outOf = (instance: string, now: number) => ({ instance, report: new MetricsReport(instance.slice(0, 8), now) });

/** Undefined where nothing is to be pushed; then none of the code for it is loaded either. */
export async function openPush(
  { metrics, clock, log }: Counting,
  config: Config,
  env: Environment,
  who: { instance: string; version: string },
): Promise<OtlpPush | undefined> {
  const choice = chooseTarget(config.metrics.otlp, env);
  if (!choice.push) {
    if ('problem' in choice) log.write('metrics.push.failed', { problem: choice.problem });
    return undefined;
  }
  const { target } = choice;
  const [{ OtlpPush }, { resourceOf }] = await Promise.all([
    import('../../../shared/observe/otlp/push.ts'),
    import('../../../shared/observe/otlp/resource.ts'),
  ]);
  const resource = resourceOf({ deployment: config.deployment, ...who }, env);
  return new OtlpPush({ target, metrics, resource, version: who.version, clock, log, env });
}
