/** `poolwright logs`: the last lines of the host's log, and those that come. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { pause, systemTimers, type Timers } from '../../../shared/base/timers.ts';
import { nodeClaims } from '../../../shared/kube/contract.ts';
import { prettyLine } from '../../../shared/observe/log/pretty.ts';
import { type ClusterChoice, isNamed, openClusterIfAny } from '../../reach/cluster-access.ts';
import { type HostAddress, type HostApi, HostProblem, withHostApi } from '../../reach/host-api.ts';
import { claimName } from '../../reach/target.ts';
import { clusterFor } from '../../reach/which-cluster.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface LogsOptions extends HostAddress, ClusterChoice {
  dataDir: string;
  claim?: string;
  cluster?: string;
  uid?: string;
  workflow?: string;
  level: string;
  /** In seconds. */
  since?: number;
  tail: number;
  follow?: boolean;
  output: 'text' | 'json';
}

type Line = { [field: string]: Json } & { time: string };

interface Page {
  items: Line[];
  next: string;
  uids: string[];
}

const lookAgainMs = 1000;
const atOnce = 1000;

export async function logs(given: LogsOptions, terminal: Terminal, timers: Timers = systemTimers): Promise<number> {
  const { since, tail, follow } = given;
  const print = printer(given.output, terminal);
  return withHostApi(given, async (api) => {
    // A context that somebody names is a cluster; one that happens to be the current one is no reason to leave lines out.
    const options = isNamed(given) ? { ...given, cluster: await clusterFor(api, given) } : given;
    const from = since === undefined ? {} : { since: new Date(systemClock.now() - since * 1000).toISOString() };
    const first = await read(api, { ...filterOf(options), ...from, limit: String(tail) });
    print(first.items);
    if (first.items.length === 0) terminal.err(`${nothingFound(options)}${await misspelled(options)}\n`);
    if (!follow) return exitCodes.done;
    await followOn(api, options, first, print, terminal, timers);
    return exitCodes.interrupted;
  });
}

/** Until somebody has seen enough. A host that is away for a moment, as one that is started again, is waited for. */
async function followOn(
  api: HostApi,
  options: LogsOptions,
  first: Page,
  print: (lines: readonly Line[]) => void,
  terminal: Terminal,
  timers: Timers,
): Promise<void> {
  let { next, uids } = first;
  let isAway = false;
  while (!terminal.signal.aborted) {
    await pause(lookAgainMs, terminal.signal, timers);
    if (terminal.signal.aborted) return;
    try {
      const known = uids.length === 0 ? {} : { uid: uids.join(',') };
      const page = await read(api, { ...filterOf(options), ...known, after: next, limit: String(atOnce) });
      print(page.items);
      ({ next, uids } = page);
      isAway = false;
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'HostUnreachable') throw error;
      if (!isAway) terminal.err(`${error.message} Waiting for the host.\n`);
      isAway = true;
    }
  }
}

function filterOf({ claim, cluster, uid, workflow, level }: LogsOptions): Record<string, string> {
  return {
    ...(claim === undefined ? {} : { claim: claimName(claim) }),
    ...defined({ cluster, uid }),
    ...(workflow === undefined ? {} : { workflow: workflow.replace(/^workflows?\//i, '') }),
    ...(level === 'debug' ? {} : { level }),
  };
}

async function read(api: HostApi, query: Record<string, string>): Promise<Page> {
  try {
    return await api.ask<Page>('GET', '/v1/logs', { query });
  } catch (error) {
    if (!(error instanceof HostProblem) || error.kind !== 'unknown-path') throw error;
    throw new UserError('This host keeps no log. Look where its standard output goes.', {
      code: 'UnknownPath',
    });
  }
}

/** JSON as it is kept; for people without what only machines need, and with the day where it changes. */
function printer(format: 'text' | 'json', terminal: Terminal): (lines: readonly Line[]) => void {
  if (format === 'json') return (lines) => terminal.out(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let day = '';
  return (lines) => {
    for (const line of lines) {
      const today = line.time.slice(0, 10);
      if (today !== day) terminal.err(`${today} (UTC)\n`);
      day = today;
      terminal.out(prettyLine(JSON.stringify(line), terminal.color));
    }
  };
}

/** A claim that is gone has lines too, so that a name is not there is no more than a hint. Only a cluster that is at hand is asked. */
async function misspelled({ claim, uid, ...choice }: LogsOptions): Promise<string> {
  // With --cluster the kubeconfig may lead to another cluster, where the name says nothing.
  if (claim === undefined || uid !== undefined || choice.cluster !== undefined) return '';
  const api = await openClusterIfAny(choice);
  try {
    const { unlessThere } = await import('../../reach/nearest-name.ts');
    return api === undefined ? '' : await unlessThere(api, nodeClaims, claimName(claim));
  } finally {
    api?.close();
  }
}

function nothingFound({ claim, uid, workflow, cluster }: LogsOptions): string {
  const isNarrow = [claim, uid, workflow, cluster].some((one) => one !== undefined);
  return isNarrow
    ? 'No matching lines. Old lines are removed, and lines below log.level are never written.'
    : 'No matching lines.';
}
