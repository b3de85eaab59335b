/** `poolwright crds`: are the kinds that we work with in a cluster, and if not, put them there. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Failure } from '../../../shared/base/result.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type ClusterApi, customResourceDefinitions, type KubeObject } from '../../../shared/kube/contract.ts';
import type { Crd } from '../../../shared/kube/crds/crd.ts';
import { type CrdFinding, type CrdReport, checkCrds } from '../../../shared/kube/crds/installed-crds.ts';
import { crdsOfRelease } from '../../../shared/providers/definitions.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import { type ClusterChoice, withCluster } from '../../reach/cluster-access.ts';
import { type Consent, confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Output, Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { version } from '../../version.ts';

export interface CrdsOptions extends ClusterChoice {
  output: DocumentFormat;
}

export interface InstallOptions extends CrdsOptions, Consent {}

/** A new definition is served a moment after it was made. */
const served = { lookEveryMs: 100, giveUpMs: 15_000 };

/** Writes nothing. The exit code is 1 if claims could not be served. */
export const check = (options: CrdsOptions, output: Output): Promise<number> =>
  withCluster(options, (api) => report(api, undefined, options, output));

/** Installs what is not there, after a yes. What is there stays as it is, whoever made it: replacing it is its owner's to decide. */
export const install = (options: InstallOptions, terminal: Terminal): Promise<number> =>
  withCluster(options, async (api) => {
    const missing: Crd[] = [];
    for (const crd of await crdsOfRelease(version)) if (!(await isThere(api, crd))) missing.push(crd);
    if (missing.length > 0 && !(await confirmed(terminal, changeOf(missing, api), options))) return exitCodes.done;
    const installed: string[] = [];
    for (const crd of missing) if (await created(api, crd)) installed.push(crd.metadata.name);
    return report(api, installed, options, terminal);
  });

/** "Install 2 definitions (nodeclaims.karpenter.sh, nodepools.karpenter.sh) in the cluster of production". */
function changeOf(missing: readonly Crd[], { name }: ClusterApi): string {
  const names = missing.map(({ metadata }) => metadata.name).join(', ');
  const count = missing.length === 1 ? '1 definition' : `${missing.length} definitions`;
  return printable(`Install ${count} (${names}) in cluster ${name}`);
}

async function isThere(api: ClusterApi, { metadata: { name } }: Crd): Promise<boolean> {
  const present = await api.get<KubeObject>(customResourceDefinitions, { name });
  if (present.ok) return true;
  if (present.error.kind === 'not-found') return false;
  throw unreachable(`can't read the definition ${name}`, present.error);
}

/** False if somebody was faster. Doing it twice, or at the same time as somebody else, does no harm. */
async function created(api: ClusterApi, crd: Crd): Promise<boolean> {
  const answer = await api.create<KubeObject>(customResourceDefinitions, crd);
  if (answer.ok) return true;
  if (answer.error.kind === 'conflict') return false;
  throw unreachable(`can't install ${crd.metadata.name}`, answer.error);
}

async function report(
  api: ClusterApi,
  /** What `install` has just created; undefined when nothing was to be installed. */
  installed: readonly string[] | undefined,
  options: CrdsOptions,
  output: Output,
): Promise<number> {
  const { findings, problems } = await findingsOnceServed(api, installed ?? []);
  const judged = new Set(findings.map(({ name }) => name));
  // Kinds that need not be there are installed too, and nothing has to be found out about them.
  const others = (installed ?? []).filter((name) => !judged.has(name)).map((name) => `${name}: installed`);
  const lines = [...findings.map((finding) => line(finding, installed)), ...others];
  const text = (): string => lines.map((one) => `${printable(one)}\n`).join('');
  await printDocument({ installed: installed ?? [], findings }, text, options.output, output);
  return problems.length === 0 ? 0 : 1;
}

/** What was just installed is given time, or a pipeline that goes on with claims would fail now and then. */
async function findingsOnceServed(api: ClusterApi, installed: readonly string[]): Promise<CrdReport> {
  const nodeClasses = kindsOf(manifests);
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
  return installed === undefined ? `${name}: usable${maker}` : `${name}: already installed${maker}, left unchanged`;
}

const unreachable = (what: string, error: Failure): UserError =>
  new UserError(`${what}: ${error.message}`, { code: 'ClusterUnavailable' });
