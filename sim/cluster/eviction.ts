/** The eviction subresource of pods: deletes a pod if its disruption budget allows it. */
import { isObject } from '../../shared/base/json.ts';
import { ApiError, badRequest, conflict, forbidden } from './api-error.ts';
import { deleteObject, parseDeleteOptions } from './deletion.ts';
import { fieldAt, type JsonObject, type KubeObject, listAt, type Resource, storageKey, textAt } from './types.ts';
import { uidMismatch, type Writes } from './writes.ts';

const retrySeconds = 10;

export function evict(writes: Writes, pods: Resource, namespace: string, name: string, body: JsonObject): void {
  if (body.kind !== undefined && body.kind !== 'Eviction') {
    throw badRequest(`the object provided is a ${String(body.kind)}, but this endpoint takes an Eviction`);
  }
  const given = textAt(body, 'metadata', 'name');
  if (given !== '' && given !== name) throw badRequest('name in URL does not match name in Eviction object');
  const { object: pod } = writes.require(pods, namespace, name);
  const options = parseDeleteOptions(fieldAt(body, 'deleteOptions'));
  if (options.uid !== '' && options.uid !== pod.metadata.uid) {
    throw conflict(pods, name, uidMismatch(options.uid, pod.metadata.uid));
  }
  if (!mayIgnoreBudget(pod)) spendBudget(writes, namespace, pod, options.dryRun);
  deleteObject(writes, pods, namespace, name, options);
}

/** Pods that have ended, have not begun, or are already going disrupt nothing. */
function mayIgnoreBudget(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return pod.metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(phase);
}

function spendBudget(writes: Writes, namespace: string, pod: KubeObject, dryRun: boolean): void {
  const kind = writes.registry.byStorage('poddisruptionbudgets.policy');
  if (!kind) return;
  const budgets = writes.objects
    .list(storageKey(kind), namespace)
    .map(({ object }) => object)
    .filter((budget) => selects(fieldAt(budget, 'spec', 'selector'), pod.metadata.labels ?? {}));
  const budget = budgets[0];
  if (!budget) return;
  if (budgets.length > 1) {
    throw new ApiError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const status = isObject(budget.status) ? budget.status : {};
  if (!isReady(pod) && mayEvictUnready(budget, status)) return;
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  if (Number(status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    throw tooManyRequests(
      message,
      `The disruption budget ${budget.metadata.name} is still being processed by the server.`,
      true,
    );
  }
  const allowed = Number(status.disruptionsAllowed ?? 0);
  if (allowed < 0) throw forbidden(kind, budget.metadata.name, 'pdb disruptions allowed is negative');
  if (allowed === 0) throw tooManyRequests(message, whyNothingIsAllowed(budget, status), false);
  if (dryRun) return;
  const disrupted = isObject(status.disruptedPods) ? status.disruptedPods : {};
  writes.objects.put(storageKey(kind), {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: allowed - 1,
      disruptedPods: { ...disrupted, [pod.metadata.name]: writes.now() },
    },
  });
}

const isReady = (pod: KubeObject): boolean =>
  listAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );

/** A pod that is not ready serves nobody: it may go if the budget says so, or as long as the others suffice. */
function mayEvictUnready(budget: KubeObject, status: JsonObject): boolean {
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = Number(status.desiredHealthy ?? 0);
  return desired > 0 && Number(status.currentHealthy ?? 0) >= desired;
}

function whyNothingIsAllowed(budget: KubeObject, status: JsonObject): string {
  const { name } = budget.metadata;
  const condition = listAt(status, 'conditions').find((one) => textAt(one, 'type') === 'DisruptionAllowed');
  if (textAt(condition, 'status') === 'False' && textAt(condition, 'reason') === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${textAt(condition, 'message')}`;
  }
  return `The disruption budget ${name} needs ${Number(status.desiredHealthy ?? 0)} healthy pods and has ${Number(status.currentHealthy ?? 0)} currently`;
}

function tooManyRequests(message: string, cause: string, retry: boolean): ApiError {
  return new ApiError(429, 'TooManyRequests', message, {
    causes: [{ reason: 'DisruptionBudget', message: cause }],
    ...(retry ? { retryAfterSeconds: retrySeconds } : {}),
  });
}

/** A label selector in object form. An empty one selects everything in the namespace, none selects nothing. */
function selects(selector: unknown, labels: { [key: string]: string }): boolean {
  if (!isObject(selector)) return false;
  const equal = Object.entries(isObject(selector.matchLabels) ? selector.matchLabels : {}).every(
    ([key, value]) => labels[key] === value,
  );
  return (
    equal &&
    listAt(selector, 'matchExpressions').every((expression) => {
      const value = labels[textAt(expression, 'key')];
      const values = listAt(expression, 'values');
      switch (textAt(expression, 'operator')) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        default:
          return value === undefined;
      }
    })
  );
}
