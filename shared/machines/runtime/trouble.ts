/** Why no pod of a provider becomes ready, as far as the cluster says so. The Secrets themselves are never read. */
import { events, type KubeObject, pods } from '../../kube/contract.ts';
import type { ProviderObject } from './object.ts';
import type { ProviderProblem } from './problems.ts';
import type { ProviderPlace } from './services.ts';

interface PodObject extends KubeObject {
  status?: {
    containerStatuses?: {
      restartCount?: number;
      state?: { waiting?: { reason?: string; message?: string } };
      lastState?: { terminated?: { exitCode?: number; message?: string } };
    }[];
  };
}

interface EventObject extends KubeObject {
  message?: string;
}

const most = 20;

export async function troubleOf(
  { api }: ProviderPlace,
  { metadata: { namespace } }: ProviderObject,
  selector: Record<string, string>,
  signal?: AbortSignal,
): Promise<ProviderProblem | undefined> {
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const found = await api.list<PodObject>(pods, { namespace, labelSelector, limit: most }, signal);
  if (!found.ok) return;
  for (const pod of found.value.items) {
    const problem = waiting(pod) ?? (await notMounted(api, pod, signal));
    if (problem) return problem;
  }
  return;
}

function waiting({ metadata, status }: PodObject): ProviderProblem | undefined {
  for (const { state, lastState, restartCount } of status?.containerStatuses ?? []) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    const said = `pod ${metadata.name}: ${message || reason}`.slice(0, 500);
    if (/^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull)$/.test(reason)) {
      return { code: 'ProviderImageUnavailable', message: said };
    }
    if (reason === 'CreateContainerConfigError') return { code: 'ProviderSecretMissing', message: said };
    if (reason === 'CrashLoopBackOff') {
      const { exitCode = '?', message: last } = lastState?.terminated ?? {};
      const why = last ? `: ${last.trim()}` : '';
      return {
        code: 'ProviderCrashes',
        message: `pod ${metadata.name} ended ${restartCount ?? 1} times, with code ${exitCode}${why}`.slice(0, 500),
      };
    }
  }
  return;
}

/** A volume whose Secret is not there: only an Event of the kubelet says so. */
async function notMounted(
  api: ProviderPlace['api'],
  { metadata, status }: PodObject,
  signal?: AbortSignal,
): Promise<ProviderProblem | undefined> {
  if (status?.containerStatuses?.some(({ state }) => state !== undefined && state.waiting === undefined)) return;
  const fieldSelector = `involvedObject.uid=${metadata.uid},reason=FailedMount`;
  const namespace = metadata.namespace ?? '';
  const found = await api.list<EventObject>(events, { namespace, fieldSelector, limit: most }, signal);
  if (!found.ok) return;
  const last = found.value.items.at(-1)?.message;
  return last === undefined ? undefined : { code: 'ProviderSecretMissing', message: last.slice(0, 500) };
}
