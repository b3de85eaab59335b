/** From an object to a resource: ask, wait, write down what came of it. */
import type { JsonObject } from '../../shared/base/json.ts';
import type { AzureResource } from './azure/resource.ts';
import { fatal, reconciling, type Standing, succeeded, warning } from './conditions.ts';
import { paceOf } from './error-codes.ts';
import { type Exported, writeExports } from './exports.ts';
import type { AsoKind } from './kinds.ts';
import { type AsoObject, annotation, marks, readyOf } from './object.ts';
import { type Memory, never, type Operator, pauseMs, subjectOf, syncPauseMs } from './operator.ts';
import { statusFrom } from './status.ts';
import { mark, tell } from './writes.ts';

const token = (operation: string): string => Buffer.from(JSON.stringify({ operation })).toString('base64');

export function operationIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as { operation?: unknown };
    return typeof read.operation === 'string' ? read.operation : undefined;
  } catch {
    return undefined;
  }
}

/** When to look again. */
export async function putOrPoll(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  { id, body }: { id: string; body: JsonObject },
): Promise<number> {
  const running = operationIn(annotation(object, marks.poller));
  const state = running === undefined ? undefined : operator.azure.operation(running);
  return state === undefined
    ? begin(operator, kind, object, memory, { id, body })
    : ended(operator, kind, object, memory, id, state);
}

async function begin(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  { id, body }: { id: string; body: JsonObject },
): Promise<number> {
  const { azure, faults, settings } = operator;
  const existing = azure.get(id);
  const blocked = blockedBy(kind, id, existing, operator);
  if (blocked !== undefined) return failed(operator, kind, object, memory, blocked, 'slow');
  const fault = faults.decide('put', subjectOf(object));
  if (fault?.kind === 'refused') return refused(operator, kind, object, memory, fault);
  const usual = existing === undefined ? settings.durations[kind.takes] : settings.durations.update;
  const seconds = fault?.kind === 'stuck' ? null : usual + (fault?.kind === 'slow' ? fault.seconds : 0);
  const answer = azure.put({
    id,
    type: kind.type,
    body,
    seconds,
    ...(fault?.kind === 'operation-fails' ? { failure: { code: fault.code, message: fault.message } } : {}),
  });
  if ('refused' in answer) return refused(operator, kind, object, memory, answer.refused);
  memory.polls = 0;
  const state = azure.operation(answer.accepted);
  if (state !== undefined && state.state !== 'InProgress') return ended(operator, kind, object, memory, id, state);
  const marked = await mark(operator, kind, object, { annotations: { [marks.poller]: token(answer.accepted) } });
  // A resync does not take Ready away.
  const resync =
    readyOf(marked)?.status === 'True' && readyOf(marked)?.observedGeneration === marked.metadata.generation;
  if (!resync) await tell(operator, kind, marked, reconciling);
  return operator.clock.now() + pauseMs(settings.retries.poll, 0);
}

/** The operator leaves alone what Azure is still busy with. */
function blockedBy(
  kind: AsoKind,
  id: string,
  existing: AzureResource | undefined,
  { azure }: Operator,
): Standing | undefined {
  const name = kind.resource.kind;
  const busy = (one: AzureResource | undefined): boolean => one?.operation !== undefined;
  const cluster = name === 'ManagedClustersAgentPool' ? azure.get(id.split('/').slice(0, -2).join('/')) : undefined;
  if ((name !== 'ManagedCluster' && name !== 'ManagedClustersAgentPool') || !(busy(existing) || busy(cluster))) {
    return undefined;
  }
  const text = `${name === 'ManagedCluster' ? 'Managed cluster' : 'Agent pool or its cluster'} is in provisioning state "${(existing?.operation ? existing : cluster)?.state}"`;
  return warning('ReconciliationBlocked', text);
}

async function ended(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  id: string,
  state: NonNullable<ReturnType<Operator['azure']['operation']>>,
): Promise<number> {
  const { settings, clock } = operator;
  if (state.state === 'InProgress') {
    memory.polls += 1;
    return clock.now() + pauseMs(settings.retries.poll, memory.polls);
  }
  if (state.state === 'Failed') {
    const marked = await mark(operator, kind, object, { annotations: { [marks.poller]: null } });
    return refused(operator, kind, marked, memory, { status: 0, code: state.code, message: state.message });
  }
  const resource = operator.azure.get(id);
  // It has gone in the meantime: begin again.
  if (resource === undefined) {
    await mark(operator, kind, object, { annotations: { [marks.poller]: null } });
    return clock.now();
  }
  return finish(operator, kind, object, memory, resource);
}

/** Exports first: nothing is Ready before they are written. */
export async function finish(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  resource: AzureResource,
): Promise<number> {
  const { faults, clock, api } = operator;
  const subject = subjectOf(object);
  if (kind.resource.kind === 'ManagedCluster') await operator.clusters.ensure(resource);
  const fault = readyOf(object)?.status === 'True' ? undefined : faults.decide('export', subject);
  if (fault?.kind !== 'missing' && fault?.kind !== 'late') {
    const problem = staticCredentialProblem(object) ?? (await writeExports(api, object, exportsOf(operator, resource)));
    if (problem !== undefined)
      return failed(operator, kind, object, memory, problem, problem.severity === 'Error' ? 'never' : 'very-slow');
  }
  const wasReady = readyOf(object)?.status === 'True';
  const told = await tell(operator, kind, object, succeeded, statusFrom(kind.resource.kind, resource));
  await mark(operator, kind, told, { annotations: { [marks.poller]: null } });
  memory.failures = 0;
  const now = clock.now();
  if (!wasReady) planTrouble(operator, object, memory, now);
  if (fault?.kind === 'late') return now + fault.seconds * 1000;
  return Math.min(now + syncPauseMs(operator, object, now), memory.trouble?.at ?? never, memory.vanishAt ?? never);
}

export function exportsOf({ clusters }: Operator, { id, facts }: AzureResource): Exported {
  const text = (name: string): string | undefined => (typeof facts[name] === 'string' ? facts[name] : undefined);
  const kubeconfig = clusters.kubeconfig(id);
  return {
    adminCredentials: kubeconfig,
    userCredentials: kubeconfig,
    oidcIssuerProfile: text('issuerURL'),
    principalId: text('principalId'),
    clientId: text('clientId'),
    tenantId: text('tenantId'),
    subscriptionId: id.split('/')[2],
  };
}

function staticCredentialProblem({ spec }: AsoObject): Standing | undefined {
  const secrets = (spec.operatorSpec as { secrets?: { adminCredentials?: unknown } } | undefined)?.secrets;
  if (spec.disableLocalAccounts !== true || secrets?.adminCredentials === undefined) return undefined;
  const text = 'Getting static credential is not allowed because this cluster is set to disable local accounts.';
  return warning('BadRequest', text);
}

function planTrouble({ faults }: Operator, object: AsoObject, memory: Memory, now: number): void {
  const fault = faults.decide('ready', subjectOf(object));
  if (fault?.kind === 'vanish') memory.vanishAt = now + fault.afterSeconds * 1000;
  if (fault?.kind !== 'not-ready-again') return;
  const at = now + fault.afterSeconds * 1000;
  const until = fault.forSeconds === undefined ? never : at + fault.forSeconds * 1000;
  memory.trouble = { at, until, code: fault.code, message: fault.message };
}

async function refused(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  { code, message, status }: { code: string; message: string; status: number },
): Promise<number> {
  const pace = paceOf(code, status);
  return failed(operator, kind, object, memory, pace === 'never' ? fatal(code, message) : warning(code, message), pace);
}

/** Says so, and when the next try is. */
export async function failed(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  standing: Standing,
  pace: 'fast' | 'slow' | 'very-slow' | 'never',
): Promise<number> {
  await tell(operator, kind, object, standing);
  const now = operator.clock.now();
  if (pace === 'never') return never;
  if (pace === 'very-slow') return now + syncPauseMs(operator, object, now);
  const pause = pauseMs(operator.settings.retries[pace], memory.failures);
  memory.failures += 1;
  return now + pause;
}
