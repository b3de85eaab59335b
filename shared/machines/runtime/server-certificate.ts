/**
 * The certificate that the pods of a Provider show, in a Secret that is made and never read or changed: its name says which authority and which
 * period it is of, so every process agrees on it without asking. A new period is a new Secret, and the pods are replaced one by one; images that
 * read their authority only once then have the right one as well.
 */
import { ok, type Result } from '../../base/result.ts';
import { secrets } from '../../kube/contract.ts';
import type { Authority } from './authority.ts';
import { hostOf, labelsOf, ownerOf, type ProviderObject } from './object.ts';
import type { ProviderPlace, ProviderServices } from './services.ts';

const dayMs = 24 * 3_600_000;
/** Each certificate is in use for one period, and holds for three. */
const periodMs = 30 * dayMs;

/** Periods of Providers begin at different times, so that not all pods are replaced at once. */
export function periodOf(uid: string, now: number): { number: number; from: number; to: number } {
  const spread = (Number.parseInt(uid.replaceAll(/[^0-9a-f]/gi, '').slice(0, 8), 16) || 0) % periodMs;
  const number = Math.floor((now - spread) / periodMs);
  const begins = number * periodMs + spread;
  return { number, from: begins - dayMs, to: begins + 3 * periodMs };
}

export const certificateSecretName = (runtime: string, authority: Authority, period: number): string =>
  `${runtime}-tls-${authority.id}-${period}`;

/** The name of the Secret, which then exists. */
export async function serverCertificate(
  { certifier, clock }: ProviderServices,
  { api }: ProviderPlace,
  { provider, runtime, authority }: { provider: ProviderObject; runtime: string; authority: Authority },
  signal?: AbortSignal,
): Promise<Result<string>> {
  const { namespace, uid } = provider.metadata;
  const period = periodOf(uid, clock.now());
  const name = certificateSecretName(runtime, authority, period.number);
  const host = hostOf(provider, runtime);
  const { key, cert } = certifier.issue(
    authority,
    { commonName: runtime.slice(0, 64), dns: [runtime, `${runtime}.${namespace}`, host, `${host}.cluster.local`] },
    period,
  );
  const created = await api.create(
    secrets,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels: labelsOf(provider), ownerReferences: [ownerOf(provider)] },
      type: 'kubernetes.io/tls',
      immutable: true,
      stringData: { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.bundle },
    },
    signal,
  );
  // It is there already: a name says all that could differ.
  return created.ok || created.error.kind === 'conflict' ? ok(name) : created;
}
