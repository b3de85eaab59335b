/** `poolwright clusters migrate`: the phases, for one instance of KRO or for all of them. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Failure, Result } from '../../../../shared/base/result.ts';
import { systemClock } from '../../../../shared/base/runtime.ts';
import { createAsoDriver } from '../../../../shared/clusters/drivers/aso/driver.ts';
import { adopt, ensureRequest } from '../../../../shared/clusters/migration/adopt/adopt.ts';
import type { Proof } from '../../../../shared/clusters/migration/adopt/take.ts';
import { type Assessment, assess, blockers } from '../../../../shared/clusters/migration/assess.ts';
import { commit, planCommit } from '../../../../shared/clusters/migration/commit/commit.ts';
import { findInstances, type Instance } from '../../../../shared/clusters/migration/kro/read.ts';
import { describe } from '../../../../shared/clusters/migration/kro/state.ts';
import type { MigrationParts } from '../../../../shared/clusters/migration/parts.ts';
import { describeInstance, listRecords, type MigrationRecord } from '../../../../shared/clusters/migration/record.ts';
import { rollback } from '../../../../shared/clusters/migration/rollback.ts';
import { type Finding, isError } from '../../../../shared/clusters/rules/finding.ts';
import { kubeRequestStore } from '../../../../shared/clusters/store/kube.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import { type ClusterChoice, openCluster } from '../../../reach/cluster-access.ts';
import { type Consent, confirmed } from '../../../terminal/confirm.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../../terminal/output/document.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { printable } from '../../../terminal/text-table.ts';
import { UserError } from '../../../terminal/user-error.ts';
import { poolTypesOf } from '../plan/pool-types.ts';
import type { Phase } from './declare.ts';
import { assessmentsText, commitText, documentOf, stepText } from './text.ts';

export interface MigrateOptions extends ClusterChoice, Consent {
  phase: Phase;
  all?: boolean;
  namespace?: string;
  acceptChanges?: boolean;
  writeRequests?: boolean;
  deployment: string;
  poolTypes?: string;
  output: DocumentFormat;
}

/** Of the host: what is taken over here is then the host's to change. */
const hostManager = 'poolwright';

interface Wanted {
  name?: string;
  namespace?: string;
}

interface Migration {
  parts: MigrationParts;
  wanted: Wanted;
  options: MigrateOptions;
  terminal: Terminal;
}

export async function migrate(
  instance: string | undefined,
  options: MigrateOptions,
  terminal: Terminal,
): Promise<number> {
  const wanted = wantedFrom(instance, options);
  const api = await openCluster(options, hostManager);
  try {
    const migration = { parts: partsFor(api, options, terminal), wanted, options, terminal };
    switch (options.phase) {
      case 'shadow':
        return await shadowPhase(migration);
      case 'adopt':
        return await adoptPhase(migration);
      case 'rollback':
        return await rollbackPhase(migration);
      case 'commit':
        return await commitPhase(migration);
    }
  } finally {
    api.close();
  }
}

function wantedFrom(instance: string | undefined, { all, namespace }: MigrateOptions): Wanted {
  const misused = (message: string): UserError =>
    new UserError(message, { code: 'InvalidCommand', exitCode: exitCodes.misused });
  const inNamespace = namespace === undefined ? {} : { namespace };
  if (instance === undefined) {
    if (all === true) return inNamespace;
    throw misused('Name an instance as NAMESPACE/NAME, or pass --all.');
  }
  if (all === true) throw misused('Name an instance or pass --all, not both.');
  const [first = '', second, ...more] = instance.split('/');
  if (more.length > 0 || first === '' || second === '') throw misused('Name an instance as NAMESPACE/NAME.');
  return second === undefined ? { name: first, ...inNamespace } : { namespace: first, name: second };
}

function partsFor(api: ClusterApi, options: MigrateOptions, terminal: Terminal): MigrationParts {
  const clock = systemClock;
  return {
    api,
    driver: createAsoDriver({ api, clock }),
    store: kubeRequestStore(api),
    types: poolTypesOf(options.poolTypes),
    deployment: options.deployment,
    clock,
    wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => undefined),
    say: (step, subject) => terminal.err(`${printable(`${subject}: ${stepText(step)}`)}\n`),
  };
}

const told = ({ message, reason, code }: Failure): UserError =>
  new UserError(message, { code: reason ?? code ?? 'ClusterUnavailable' });

function must<T>(result: Result<T>): T {
  if (!result.ok) throw told(result.error);
  return result.value;
}

/** One that was named must be one; of `--all` there may be none. */
function found<T>(items: T[], { name, namespace }: Wanted, where: string): T[] {
  if (name === undefined || items.length === 1) return items;
  const called = namespace === undefined ? name : `${namespace}/${name}`;
  const message =
    items.length === 0
      ? `There is no instance ${called} ${where}.`
      : `There are ${items.length} instances ${called}: name one as NAMESPACE/NAME.`;
  throw new UserError(message, { code: 'KroInstanceNotFound' });
}

const instancesOf = async ({ parts, wanted, terminal }: Migration): Promise<Instance[]> =>
  must(await findInstances(parts.api, wanted, terminal.signal));
const recordsOf = async ({ parts, wanted, terminal }: Migration): Promise<MigrationRecord[]> =>
  must(await listRecords(parts.api, wanted, terminal.signal));

async function shadowPhase(migration: Migration): Promise<number> {
  const { parts, wanted, options, terminal } = migration;
  const { signal } = terminal;
  const assessments: Assessment[] = [];
  const how = { acceptChanges: options.acceptChanges === true };
  for (const instance of found(await instancesOf(migration), wanted, 'in KRO')) {
    assessments.push(must(await assess(parts, instance, how, signal)));
  }
  const document = { items: assessments.map((one) => documentOf(one)) };
  await printDocument(document, () => assessmentsText(assessments), options.output, terminal);
  const able = assessments.filter((one) => one.request !== undefined && blockers(one).length === 0);
  if (options.writeRequests === true && able.length > 0) {
    const change = `Create ${count(able.length, 'ClusterRequest')}, set aside for KRO`;
    if (await confirmed(terminal, change, options)) {
      for (const { request } of able) if (request) must(await ensureRequest(parts, request, signal));
    }
  }
  return able.length === assessments.length ? exitCodes.done : exitCodes.failed;
}

async function adoptPhase(migration: Migration): Promise<number> {
  const { parts, wanted, options, terminal } = migration;
  const records = await recordsOf(migration);
  const begun = new Set(records.map(({ instance }) => instance.uid));
  const fresh = (await instancesOf(migration)).filter(({ object }) => !begun.has(object.metadata.uid));
  const all = found(
    [
      ...records.map((record) => ({ what: describeInstance(record), wanted: { record } })),
      ...fresh.map((instance) => ({ what: describe(instance.object), wanted: { instance } })),
    ],
    wanted,
    'in KRO',
  );
  if (all.length === 0) return nothing(migration, []);
  const names = all.map(({ what }) => what).join(', ');
  const change = `Take over ${count(all.length, 'cluster')} from KRO (${names}); nothing is deleted in Azure`;
  if (!(await confirmed(terminal, change, options))) return exitCodes.done;
  const items: { instance: string; adopted: boolean; problem?: string; objects?: readonly Proof[] }[] = [];
  for (const { what, wanted: one } of all) {
    const done = await adopt(parts, one, { acceptChanges: options.acceptChanges === true }, terminal.signal);
    if (!done.ok && all.length === 1) throw told(done.error);
    items.push(
      done.ok
        ? { instance: what, adopted: true, objects: done.value.proofs }
        : { instance: what, adopted: false, problem: done.error.message },
    );
  }
  return results(migration, items, ({ instance, adopted, problem, objects = [] }) => [
    adopted ? `${instance}: taken over` : `${instance}: not taken over: ${problem}`,
    ...objects.map(({ object, uid, azureId }) => `  ${object}  uid ${uid}  ${azureId ?? ''}`.trimEnd()),
  ]);
}

async function rollbackPhase(migration: Migration): Promise<number> {
  const { parts, wanted, options, terminal } = migration;
  const records = found(await recordsOf(migration), wanted, 'that has left KRO and is not committed');
  if (records.length === 0) return nothing(migration, []);
  const names = records.map(describeInstance).join(', ');
  const change = `Give ${count(records.length, 'cluster')} back to KRO (${names})`;
  if (!(await confirmed(terminal, change, options))) return exitCodes.done;
  const items: { instance: string; problem?: string }[] = [];
  for (const record of records) {
    const done = await rollback(parts, record, terminal.signal);
    if (!done.ok && records.length === 1) throw told(done.error);
    items.push({ instance: describeInstance(record), ...(done.ok ? {} : { problem: done.error.message }) });
  }
  return results(migration, items, ({ instance, problem }) => [
    problem === undefined ? `${instance}: given back to KRO` : `${instance}: not given back: ${problem}`,
  ]);
}

async function commitPhase(migration: Migration): Promise<number> {
  const { parts, wanted, options, terminal } = migration;
  const records = found(await recordsOf(migration), wanted, 'that has left KRO and is not committed');
  // One that is not through holds up no other.
  const able: MigrationRecord[] = [];
  const findings: Finding[] = [];
  for (const record of records) {
    const one = must(await planCommit(parts, [record], terminal.signal));
    if (one.findings.some(isError)) findings.push(...one.findings);
    else able.push(record);
  }
  const plan = must(await planCommit(parts, able, terminal.signal));
  const document = {
    instances: able.map(describeInstance),
    graphs: plan.graphs.unused.map(({ name }) => name),
    graphsInUse: plan.graphs.used.map(({ graph, instances, uncommitted }) => ({
      name: graph.name,
      instances,
      uncommitted,
    })),
    definitions: plan.leftovers.definitions.map(({ name }) => name),
    roles: plan.roles.map(({ resource, name }) => `${resource.kind}/${name}`),
    findings,
  };
  await printDocument(document, () => commitText(document), options.output, terminal);
  const [first] = findings.filter(isError);
  if (first !== undefined && able.length === 0) {
    throw new UserError(`${first.field}: ${first.cause}; ${first.fix}.`, { code: first.code, hint: '' });
  }
  const change = `Commit ${count(able.length, 'migration')}, and remove what is listed; there is no way back`;
  if (!(await confirmed(terminal, change, options))) return exitCodes.done;
  must(await commit(parts, plan, terminal.signal));
  return first === undefined ? exitCodes.done : exitCodes.failed;
}

async function results<T extends { problem?: string }>(
  { options, terminal }: Migration,
  items: T[],
  lines: (item: T) => string[],
): Promise<number> {
  const text = (): string => items.flatMap((one) => lines(one).map((line) => `${printable(line)}\n`)).join('');
  await printDocument({ items }, text, options.output, terminal);
  return items.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.done;
}

const nothing = (migration: Migration, items: []): Promise<number> => {
  migration.terminal.err('There is no instance to migrate.\n');
  return results(migration, items, () => []);
};

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
