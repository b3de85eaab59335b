/** How calls to a provider are protected: with certificates of ours, with those of a Secret that its author names, or not at all. */
import type { Failure } from '../../base/result.ts';
import { type KubeObject, secrets } from '../../kube/contract.ts';
import { authorityOf, clientName, clientTls } from './authority.ts';
import type { RuntimeTls } from './manifests/manifests.ts';
import type { ProviderObject } from './object.ts';
import type { ProviderProblem } from './problems.ts';
import { serverCertificate } from './server-certificate.ts';
import type { ProviderPlace, ProviderServices, ProviderTls } from './services.ts';

export interface Protected {
  how: 'issued' | 'given' | 'plain';
  runtime: RuntimeTls;
  /** What we call with; absent in plaintext. */
  client?: ProviderTls;
}

export type ProtectedOr =
  | { ok: true; value: Protected }
  /** Wrong in the object; or the cluster did not answer. */
  | { ok: false; problem: ProviderProblem }
  | { ok: false; failure: Failure };

interface SecretObject extends KubeObject {
  data?: Record<string, string>;
}

export async function protectionOf(
  services: ProviderServices,
  place: ProviderPlace,
  provider: ProviderObject,
  runtime: string,
  signal?: AbortSignal,
): Promise<ProtectedOr> {
  const { enabled = true, secretRef, insecureSkipVerify = false } = provider.spec.runtime.service?.tls ?? {};
  if (!enabled) return { ok: true, value: { how: 'plain', runtime: { kind: 'plain' } } };
  if (secretRef?.name) return given(place, provider, { name: secretRef.name, anyServer: insecureSkipVerify }, signal);
  const authority = await authorityOf(services, place, signal);
  if (!authority.ok) return { ok: false, failure: authority.error };
  const secret = await serverCertificate(services, place, { provider, runtime, authority: authority.value }, signal);
  if (!secret.ok) return { ok: false, failure: secret.error };
  return {
    ok: true,
    value: {
      how: 'issued',
      runtime: { kind: 'mutual', secret: secret.value, client: clientName },
      client: { ...clientTls(services, place, authority.value), ...skip(insecureSkipVerify) },
    },
  };
}

/** We call with the same certificate as every client of it. To read it needs a right that is granted for this Secret alone. */
async function given(
  { api }: ProviderPlace,
  { metadata: { namespace } }: ProviderObject,
  { name, anyServer }: { name: string; anyServer: boolean },
  signal?: AbortSignal,
): Promise<ProtectedOr> {
  const found = await api.get<SecretObject>(secrets, { name, namespace }, signal);
  const wrong = (message: string): ProtectedOr => ({
    ok: false,
    problem: { code: 'ProviderTlsSecretUnusable', message },
  });
  if (!found.ok) {
    if (found.error.kind === 'not-found') return wrong(`there is no Secret ${namespace}/${name}`);
    if (found.error.kind === 'unauthorised') {
      return wrong(`Secret ${namespace}/${name} may not be read; grant the right to get it, and no other`);
    }
    return { ok: false, failure: found.error };
  }
  const text = (key: string): string => Buffer.from(found.value.data?.[key] ?? '', 'base64').toString();
  const [ca, cert, key] = [text('ca.crt'), text('tls.crt'), text('tls.key')];
  const missing = Object.entries({ 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key }).flatMap(([field, value]) =>
    value === '' ? [field] : [],
  );
  if (missing.length > 0) return wrong(`Secret ${namespace}/${name} has no ${missing.join(' and no ')}`);
  return {
    ok: true,
    value: { how: 'given', runtime: { kind: 'mutual', secret: name }, client: { ca, cert, key, ...skip(anyServer) } },
  };
}

const skip = (anyServer: boolean): { anyServer?: true } => (anyServer ? { anyServer } : {});
