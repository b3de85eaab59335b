/** The webhook as the cluster has it: where it calls, whom it trusts, and whether it could hold anybody up. */

import { X509Certificate } from 'node:crypto';
import type { V1ValidatingWebhook, V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import type { Check } from '../../../shared/base/checks.ts';
import { formatSeconds } from '../../../shared/base/durations.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { Loose } from '../../../shared/base/wire.ts';
import { namespaces, type Resource } from '../../../shared/kube/contract.ts';
import type { LooselyStored } from '../../../shared/kube/stored.ts';
import { createHttpClient } from '../../../shared/net/http-client.ts';
import { version } from '../../version.ts';
import { notChecked } from './looks.ts';
import type { Patient } from './patient.ts';

const webhookConfigurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
};

export type Webhook = Loose<V1ValidatingWebhook>;

type Configuration = LooselyStored<V1ValidatingWebhookConfiguration>;

export async function webhookChecks({ cluster }: Patient): Promise<Check[]> {
  const name = 'webhook';
  if ('problem' in cluster) return [notChecked(name, cluster.problem.message)];
  const listed = await cluster.api.list<Configuration>(webhookConfigurations, { limit: 500 });
  if (!listed.ok) {
    // One that answers and does not know the kind, such as a simulated one, calls nobody.
    const alive =
      listed.error.kind === 'unavailable' && (await cluster.api.get(namespaces, { name: 'kube-system' })).ok;
    if (alive) return [{ name, state: 'pass', message: 'this API server does not support webhooks' }];
    return [notChecked(name, listed.error.message)];
  }
  const ours = listed.value.items.flatMap(({ metadata, webhooks = [] }) =>
    webhooks.filter(isOurs).map((webhook) => ({ configuration: metadata.name, webhook })),
  );
  if (ours.length === 0) {
    return [{ name, state: 'pass', message: 'none is installed; events come from a watch, a bridge or the resync' }];
  }
  const found = await Promise.all(
    ours.map(async ({ configuration, webhook }) => {
      const label = `webhook ${configuration}`;
      return [...judgeWebhook(label, webhook, systemClock.now()), ...(await answers(label, webhook))];
    }),
  );
  return found.flat();
}

const isOurs = ({ name = '', clientConfig }: Webhook): boolean =>
  name.endsWith('.poolwright.dev') || (clientConfig?.url ?? '').includes('/v1/webhook/');

const monthMs = 30 * 86_400_000;

/** Pure. The path of the URL may hold a secret, so only where it leads is told. */
export function judgeWebhook(name: string, { failurePolicy, clientConfig }: Webhook, now: number): Check[] {
  const checks: Check[] = [];
  const code = 'WebhookUnusable';
  if (failurePolicy !== 'Ignore') {
    const message = `its failurePolicy is ${failurePolicy ?? 'Fail'}: while the host is down, no user can create or change claims`;
    checks.push({ name: `${name}: policy`, state: 'warn', message, code, repair: 'set failurePolicy: Ignore' });
  }
  const end = earliestEnd(clientConfig?.caBundle);
  if (end === 'unreadable') {
    const repair = 'set caBundle to the PEM of the certificate authority, in base64';
    checks.push({ name: `${name}: caBundle`, state: 'fail', message: 'it contains no certificate', code, repair });
  } else if (end !== undefined && end - now < monthMs) {
    const left = formatSeconds(Math.round(Math.abs(end - now) / 60_000) * 60);
    const message = end < now ? `a certificate in it expired ${left} ago` : `a certificate in it expires in ${left}`;
    const repair = "renew the host's certificate, then update the caBundle";
    checks.push({ name: `${name}: caBundle`, state: end < now ? 'fail' : 'warn', message, code, repair });
  }
  if (checks.length > 0) return checks;
  const where = clientConfig?.url === undefined ? serviceOf(clientConfig) : originOf(clientConfig.url);
  return [{ name, state: 'pass', message: `it calls ${where} and does not block other requests` }];
}

const serviceOf = (config: Webhook['clientConfig']): string =>
  `service ${config?.service?.namespace ?? '?'}/${config?.service?.name ?? '?'}`;

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'an invalid URL');

function earliestEnd(bundle: string | undefined): number | 'unreadable' | undefined {
  if (bundle === undefined || bundle === '') return undefined;
  const pems = pemsIn(bundle);
  if (pems.length === 0) return 'unreadable';
  try {
    return Math.min(...pems.map((pem) => Date.parse(new X509Certificate(pem).validTo)));
  } catch {
    return 'unreadable';
  }
}

const pemsIn = (bundle: string): string[] =>
  Buffer.from(bundle, 'base64')
    .toString('utf8')
    .match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];

/** From here, which is not where the API server stands: no answer is no proof. */
async function answers(name: string, { clientConfig }: Webhook): Promise<Check[]> {
  const { url, caBundle } = clientConfig ?? {};
  const label = `${name}: host`;
  if (url === undefined) return [];
  if (!URL.canParse(url))
    return [{ name: label, state: 'fail', message: 'its url is not a valid URL', code: 'WebhookUnusable' }];
  const ca = caBundle === undefined ? '' : pemsIn(caBundle).join('\n');
  const { origin } = new URL(url);
  const client = createHttpClient({
    baseUrl: origin,
    userAgent: `poolwright/${version}`,
    ...(ca === '' ? {} : { ca }),
  });
  try {
    const answer = await client.request({ method: 'GET', path: '/healthz', timeoutMs: 5000 });
    if (answer.ok && answer.status === 200) return [{ name: label, state: 'pass', message: `${origin} answers` }];
    const why = answer.ok ? `${origin} answered with ${answer.status}` : answer.message;
    const message = `${why}; the API server may still be able to reach it`;
    const repair = `check the host at ${origin}, its certificate, and the network path from the API server to it`;
    return [{ name: label, state: 'warn', message, code: 'WebhookUnusable', repair }];
  } finally {
    client.close();
  }
}
