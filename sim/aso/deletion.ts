/** The end of an object: DELETE and wait, unless its policy leaves Azure alone. */
import { deleting, warning } from './conditions.ts';
import { removeExports } from './exports.ts';
import type { AsoKind } from './kinds.ts';
import { type AsoObject, annotation, marks, type Policy } from './object.ts';
import { type Memory, never, type Operator, pauseMs, subjectOf } from './operator.ts';
import { failed, operationIn } from './put.ts';
import { mark, tell } from './writes.ts';

/** When to look again. */
export async function remove(
  operator: Operator,
  kind: AsoKind,
  object: AsoObject,
  memory: Memory,
  policy: Policy,
): Promise<number> {
  if (object.metadata.finalizers?.includes(marks.finalizer) !== true) return never;
  const id = annotation(object, marks.resourceId);
  if (policy !== 'manage' || id === undefined) return letGo(operator, kind, object);
  const { azure, faults, settings, clock } = operator;
  const running = operationIn(annotation(object, marks.poller));
  const state = running === undefined ? undefined : azure.operation(running);
  // The poller of a PUT is no answer to a DELETE.
  const asked = running?.includes('-delete-') === true;
  if (asked && state?.state === 'InProgress') {
    memory.polls += 1;
    return clock.now() + pauseMs(settings.retries.poll, memory.polls);
  }
  if (asked && state?.state === 'Failed') {
    const marked = await mark(operator, kind, object, { annotations: { [marks.poller]: null } });
    return failed(operator, kind, marked, memory, warning(state.code, state.message), 'slow');
  }
  if (azure.get(id) === undefined) return letGo(operator, kind, object);
  const fault = faults.decide('delete', subjectOf(object));
  if (fault?.kind === 'refused') {
    return failed(operator, kind, object, memory, warning(fault.code, fault.message), 'slow');
  }
  const seconds = settings.durations[kind.takes === 'cluster' || kind.takes === 'group' ? 'delete' : 'small'];
  const late = fault?.kind === 'slow' ? fault.seconds : 0;
  const failure = fault?.kind === 'operation-fails' ? { code: fault.code, message: fault.message } : undefined;
  const answer = azure.remove(id, fault?.kind === 'stuck' ? null : seconds + late, failure);
  if (answer === undefined) return letGo(operator, kind, object);
  if ('refused' in answer) {
    return failed(operator, kind, object, memory, warning(answer.refused.code, answer.refused.message), 'slow');
  }
  memory.polls = 0;
  const begun = azure.operation(answer.accepted);
  if (begun?.state === 'Succeeded') return letGo(operator, kind, object);
  const token = Buffer.from(JSON.stringify({ operation: answer.accepted })).toString('base64');
  const marked = await mark(operator, kind, object, { annotations: { [marks.poller]: token } });
  await tell(operator, kind, marked, deleting);
  return clock.now() + pauseMs(settings.retries.poll, 0);
}

async function letGo(operator: Operator, kind: AsoKind, object: AsoObject): Promise<number> {
  // What was exported belongs to the object and not to the resource: it goes also where Azure is left alone.
  await removeExports(operator.api, object, everyExport);
  await operator.clusters.reap();
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== marks.finalizer);
  await mark(operator, kind, object, { finalizers });
  return never;
}

/** Whatever may have been written; what the values were does not matter any more. */
const everyExport = Object.fromEntries(
  [
    'adminCredentials',
    'userCredentials',
    'oidcIssuerProfile',
    'principalId',
    'clientId',
    'tenantId',
    'subscriptionId',
  ].map((name) => [name, '']),
);
