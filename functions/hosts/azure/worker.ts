/**
 * One worker process of the app. Its functions are registered whatever the configuration says; what they need is built when the
 * first of them is called. A configuration that can't be used is said in the log, in every invocation that fails for it and at
 * `/readyz`, and nothing else is done.
 */

import { errorText } from '../../../shared/base/error-text.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { ServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';
import { packageFolder } from '../common/package-folder.ts';
import { TimerRounds } from '../common/timer-rounds.ts';
import { openEventsQueue } from './events-queue.ts';
import { type AzureServices, azureLog, buildServices } from './services.ts';
import { type AzureSettings, readSettings } from './settings.ts';

export interface AzureWorker extends AzureServices {
  readonly settings: AzureSettings;
  readonly timers: TimerRounds;
}

export class MisconfiguredError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'MisconfiguredError';
  }
}

/** The queue may be there all the same: who holds a message can then put it off. */
export type WorkerResult =
  | { ok: true; worker: AzureWorker }
  | { ok: false; text: string; events: ServiceBusQueue | undefined };

/** After this long a worker that could not be built is tried again: a file or a secret may have come meanwhile. */
const tryAgainMs = 30_000;

/** How often a worker looks whether requests have made clusters, or taken some away. */
const compareMs = 60_000;
/** What still runs with the clusters of before has so long to end. */
const letGoMs = 600_000;

let building: Promise<WorkerResult> | undefined;
let comparedAt = systemClock.now();

export async function openWorker(): Promise<WorkerResult> {
  await renewClusters();
  return openedWorker();
}

/** A call that runs keeps the worker that it began with. */
async function renewClusters(): Promise<void> {
  const before = building;
  if (before === undefined || systemClock.now() - comparedAt < compareMs) return;
  comparedAt = systemClock.now();
  const opened = await before;
  if (!opened.ok || building !== before || !(await opened.worker.clustersChanged())) return;
  building = undefined;
  setTimeout(() => opened.worker.close(), letGoMs).unref();
}

function openedWorker(): Promise<WorkerResult> {
  building ??= build()
    .catch(unexpected)
    .then((result) => {
      if (!result.ok) {
        const forget = setTimeout(() => {
          building = undefined;
        }, tryAgainMs);
        forget.unref();
      }
      return result;
    });
  return building;
}

async function build(): Promise<WorkerResult> {
  const { env } = process;
  const read = await readSettings(env, packageFolder);
  const opened = openEventsQueue(env, read.ok ? read.settings.config.queue : undefined);
  const events = opened.ok ? opened.value : undefined;
  if (!read.ok) return misconfigured(read.text, events);
  if (!opened.ok) return misconfigured(opened.error.message, undefined);
  const { settings } = read;
  const log = azureLog(settings.config.log.level);
  const services = await buildServices({ settings, env, log, events: opened.value });
  if (!services.ok) return misconfigured(services.error.message, events);
  const { functions } = services.value;
  log.write('host.started', { clusters: functions.clusters.map(({ name }) => name) });
  return {
    ok: true,
    worker: {
      ...services.value,
      settings: { ...settings, config: services.value.config },
      timers: new TimerRounds(functions),
    },
  };
}

/** Kept like a mistake, and tried again like one: a failure that is remembered for ever would need a restart. */
function unexpected(error: unknown): WorkerResult {
  azureLog('info').write('host.failed', { error });
  return { ok: false, text: errorText(error), events: undefined };
}

function misconfigured(text: string, events: ServiceBusQueue | undefined): WorkerResult {
  azureLog('info').write('host.misconfigured', { problem: text });
  return { ok: false, text, events };
}
