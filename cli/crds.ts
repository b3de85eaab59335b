/** `poolwright crds`: are the kinds that we work with in a cluster, and if not, put them there. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Crd } from '../shared/api/crd.ts';
import { crdsOfRelease } from '../shared/api/definitions.ts';
import { type CrdFinding, type CrdReport, checkCrds } from '../shared/api/installed-crds.ts';
import type { Failure } from '../shared/claims/errors.ts';
import { type ClusterApi, customResourceDefinitions, type KubeObject } from '../shared/cluster/contract.ts';
import { builtInProviders } from '../shared/providers/registry.ts';
import { kindsOf } from '../shared/providers/serving.ts';
import { systemClock } from '../shared/runtime.ts';
import { type ClusterChoice, withCluster } from './cluster-access.ts';
import type { Output } from './main.ts';
import { printable } from './text-table.ts';
import { UserError } from './user-error.ts';
import { version } from './version.ts';

export interface CrdsOptions extends ClusterChoice {
  json?: boolean;
}

/** A new definition is served a moment after it was made. */
const served = { lookEveryMs: 100, giveUpMs: 15_000 };

/** Writes nothing. The exit code is 1 if claims could not be served. */
export const check = (options: CrdsOptions, output: Output): Promise<number> =>
  withCluster(options, (api) => report(api, undefined, options, output));

/** Installs what is not there. What is there stays as it is, whoever made it: replacing it is its owner's to decide. */
export const install = (options: CrdsOptions, output: Output): Promise<number> =>
  withCluster(options, async (api) => {
    const installed: string[] = [];
    for (const crd of await crdsOfRelease(version)) if (await ensure(api, crd)) installed.push(crd.metadata.name);
    return report(api, installed, options, output);
  });

/** Whether it was created. Doing it twice, or at the same time as somebody else, does no harm. */
async function ensure(api: ClusterApi, crd: Crd): Promise<boolean> {
  const { name } = crd.metadata;
  const present = await api.get<KubeObject>(customResourceDefinitions, { name });
  if (present.ok) return false;
  if (present.error.kind !== 'not-found') throw unreachable(`can't read the definition ${name}`, present.error);
  const created = await api.create<KubeObject>(customResourceDefinitions, crd);
  if (created.ok) return true;
  // Somebody was faster.
  if (created.error.kind === 'conflict') return false;
  throw unreachable(`can't install ${name}`, created.error);
}

async function report(
  api: ClusterApi,
  /** What `install` has just created; undefined when nothing was to be installed. */
  installed: readonly string[] | undefined,
  { json }: CrdsOptions,
  output: Output,
): Promise<number> {
  const { findings, problems } = await findingsOnceServed(api, installed ?? []);
  if (json) output.out(`${JSON.stringify({ installed: installed ?? [], findings }, null, 2)}\n`);
  else for (const finding of findings) output.out(`${printable(line(finding, installed))}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** What was just installed is given time, or a pipeline that goes on with claims would fail now and then. */
async function findingsOnceServed(api: ClusterApi, installed: readonly string[]): Promise<CrdReport> {
  const nodeClasses = kindsOf(Object.values(builtInProviders));
  const giveUpAt = systemClock.monotonic() + served.giveUpMs;
  for (;;) {
    const checked = await checkCrds(api, { nodeClasses });
    if (!checked.ok) throw new UserError(checked.error.message, { code: 'ClusterUnavailable' });
    const waiting = checked.value.findings.some((one) => one.state === 'unready' && installed.includes(one.name));
    if (!waiting || systemClock.monotonic() > giveUpAt) return checked.value;
    await pause(served.lookEveryMs);
  }
}

function line({ name, state, madeBy, problem }: CrdFinding, installed: readonly string[] | undefined): string {
  if (installed?.includes(name) && state === 'usable') return `${name}: installed`;
  if (state !== 'usable') return problem ?? `${name}: ${state}`;
  const maker = madeBy === undefined ? '' : ` (made by ${madeBy})`;
  return installed === undefined ? `${name}: usable${maker}` : `${name}: there already${maker}, left as it is`;
}

const unreachable = (what: string, error: Failure): UserError =>
  new UserError(`${what}: ${error.message}`, { code: 'ClusterUnavailable' });
