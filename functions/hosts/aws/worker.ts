/**
 * One environment of a function: a process that is kept from call to call, and stands still in between. What its function needs is
 * built with the first call. A configuration that can't be used is said in the log, in every call that fails for it and at
 * `/readyz`, and nothing else is done.
 */
import type { Environment } from '../../../shared/base/environment.ts';
import { errorText } from '../../../shared/base/error-text.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { packageFolder } from '../common/package-folder.ts';
import { followVariables } from './followed-variables.ts';
import { openQueues, type Queues } from './queues.ts';
import { readReference } from './references.ts';
import { type AwsServices, awsLog, buildServices } from './services.ts';
import { type AwsSettings, readSettings } from './settings.ts';
import { hasChanged } from './settings-changes.ts';

export { MisconfiguredError } from './misconfigured.ts';

/** Which providers a function knows: all of them, or the one that it acts for. */
export type Scope = 'all' | { readonly only: string };

export interface AwsWorker extends AwsServices {
  readonly settings: AwsSettings;
  /** The variables that it was built from, with secrets in the place of references. */
  readonly env: Environment;
}

/** The queues may be there all the same: who holds a message can then put it off. */
export type WorkerResult = { ok: true; worker: AwsWorker } | { ok: false; text: string; queues: Queues | undefined };

/** After this long a worker that could not be built is tried again: a parameter or a secret may have come meanwhile. */
const tryAgainMs = 30_000;
/** What lies elsewhere, the configuration and secrets, is compared with what is in use so often; an environment may live for hours. */
const compareMs = 300_000;

interface Built {
  result: WorkerResult;
  at: number;
}

let building: Promise<Built> | undefined;
let outdated: AwsWorker | undefined;

/** Timestamps instead of timers: none of those runs on time in a process that stands still. */
export async function openWorker(scope: Scope): Promise<WorkerResult> {
  if (building) {
    const { result, at } = await building;
    const age = systemClock.now() - at;
    const isStale = result.ok
      ? result.worker === outdated || (age > compareMs && (await isOutdated(result.worker)))
      : age > tryAgainMs;
    if (isStale) {
      if (result.ok) result.worker.close();
      building = undefined;
    } else if (result.ok && age > compareMs) {
      building = Promise.resolve({ result, at: systemClock.now() });
    }
  }
  building ??= build(scope)
    .catch(unexpected)
    .then((result) => ({ result, at: systemClock.now() }));
  return (await building).result;
}

/** Looks at once, and has the next call build another if so: for who would give something up by what the settings say. */
export async function isOutdated(worker: AwsWorker): Promise<boolean> {
  const inUse = { parameterText: worker.settings.parameterText, env: worker.env };
  const isOther =
    (await hasChanged(inUse, process.env, readReference(process.env, { renew: true }))) ||
    (await worker.clustersChanged());
  if (!isOther) return false;
  outdated = worker;
  return true;
}

async function build(scope: Scope): Promise<WorkerResult> {
  const reference = readReference(process.env);
  const env = await followVariables(process.env, reference, (problem) =>
    awsLog('info').write('host.misconfigured', { problem }),
  );
  const read = await readSettings(env, packageFolder, reference);
  const queues = openQueues(env, read.ok ? read.settings.config.queue : undefined);
  if (!read.ok) return misconfigured(read.text, queues);
  const { settings } = read;
  const log = awsLog(settings.config.log.level);
  const services = await buildServices({ settings, env, log, queues, scope });
  if (!services.ok) return misconfigured(services.error.message, queues);
  log.write('host.started', { clusters: services.value.functions.clusters.map(({ name }) => name) });
  return { ok: true, worker: { ...services.value, settings: { ...settings, config: services.value.config }, env } };
}

/** Kept like a mistake, and tried again like one: a failure that is remembered for ever would need a new environment. */
function unexpected(error: unknown): WorkerResult {
  awsLog('info').write('host.failed', { error });
  return { ok: false, text: errorText(error), queues: undefined };
}

function misconfigured(text: string, queues: Queues | undefined): WorkerResult {
  awsLog('info').write('host.misconfigured', { problem: text });
  return { ok: false, text, queues };
}
