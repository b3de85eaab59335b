/** In whose name Azure is asked. Only the subscription matters here; nothing looks at the secret itself. */
import { type ClusterApi, type KubeObject, secrets } from '../../shared/kube/contract.ts';
import { fatal, type Standing, warning } from './conditions.ts';
import { type AsoObject, annotation, marks } from './object.ts';
import type { AsoSettings } from './settings.ts';

const ofNamespace = 'aso-credential';

export async function subscriptionFor(
  api: ClusterApi,
  object: AsoObject,
  settings: Pick<AsoSettings, 'subscription' | 'globalCredential'>,
): Promise<{ subscription: string } | { problem: Standing }> {
  const named = annotation(object, marks.credential);
  const namespace = object.metadata.namespace ?? '';
  const found = await api.get<KubeObject & { data?: Record<string, string> }>(secrets, {
    namespace,
    name: named ?? ofNamespace,
  });
  if (!found.ok && named !== undefined) {
    return { problem: warning('SecretNotFound', `credential secret not found: ${namespace}/${named}`) };
  }
  if (!found.ok && !settings.globalCredential) {
    const text = 'global credential not configured, you must use either namespaced or per-resource credentials';
    return { problem: warning('Failed', text) };
  }
  const subscription = found.ok ? subscriptionIn(found.value.data) : settings.subscription;
  if (subscription === undefined) {
    const text = `credential Secret ${namespace}/${named ?? ofNamespace} does not contain key AZURE_SUBSCRIPTION_ID`;
    return { problem: warning('Failed', text) };
  }
  const before = annotation(object, marks.resourceId)?.split('/')[2];
  if (before === undefined || before.toLowerCase() === subscription.toLowerCase()) return { subscription };
  const text = `SubscriptionID "${before}" for the resource does not match with Client Credential: "${subscription}"`;
  return { problem: fatal('SubscriptionMismatch', text) };
}

function subscriptionIn(data: Record<string, string> | undefined): string | undefined {
  const encoded = data?.AZURE_SUBSCRIPTION_ID;
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8').trim();
}
