/**
 * The authority of one cluster, in one Secret of ours: it signs what providers and their clients show each other. Nothing else of it is stored:
 * clients get a certificate in memory, and servers one in a Secret that only their pods read.
 */
import { fingerprint } from '../../base/fingerprint.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type KubeObject, secrets } from '../../kube/contract.ts';
import type { KeyAndCertificate, ProviderPlace, ProviderServices, ProviderTls } from './services.ts';

export const authoritySecret = 'poolwright-provider-authority';
/** In certificates of clients; servers let nobody else in. */
export const clientName = 'poolwright';

const dayMs = 24 * 3_600_000;
const years = 365 * dayMs;
/** A clock that is a little behind must not refuse it. */
const earlierMs = dayMs;
const authorityMs = 10 * years;
const clientMs = 7 * dayMs;

export interface Authority extends KeyAndCertificate {
  /** All certificates that are to be trusted: its own, and until its last one has run out that of its predecessor. */
  bundle: string;
  /** Short, and another one for each authority. */
  id: string;
}

interface AuthoritySecret extends KubeObject {
  data?: Record<string, string>;
}

/** The same one each time, for every process: who comes second takes what is there. */
export async function authorityOf(
  { certifier, clock }: ProviderServices,
  { api, namespace, name: cluster }: ProviderPlace,
  signal?: AbortSignal,
): Promise<Result<Authority>> {
  const ref = { name: authoritySecret, namespace };
  const found = await api.get<AuthoritySecret>(secrets, ref, signal);
  if (!found.ok && found.error.kind !== 'not-found') return found;
  const now = clock.now();
  const before = found.ok ? read(found.value) : undefined;
  if (before !== undefined && before.until - now > years) return ok(before.authority);
  const until = now + authorityMs;
  const made = certifier.authority(`poolwright providers of ${cluster}`, { from: now - earlierMs, to: until });
  const bundle = made.cert + (before === undefined ? '' : before.authority.cert);
  const data = encoded({ 'ca.crt': bundle, 'tls.crt': made.cert, 'tls.key': made.key, until: String(until) });
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { ...ref, labels }, type: 'Opaque', data };
  const written = found.ok
    ? await api.mergePatch<AuthoritySecret>(
        secrets,
        ref,
        { metadata: { resourceVersion: found.value.metadata.resourceVersion }, data },
        {},
        signal,
      )
    : await api.create<AuthoritySecret>(secrets, object, signal);
  if (written.ok) return ok({ ...made, bundle, id: fingerprint(made.cert).slice(0, 6) });
  if (written.error.kind !== 'conflict') return written;
  const theirs = await api.get<AuthoritySecret>(secrets, ref, signal);
  if (!theirs.ok) return theirs;
  const usable = read(theirs.value);
  if (usable === undefined) return failed('invalid', `Secret ${namespace}/${authoritySecret} is not one of ours`);
  return ok(usable.authority);
}

const labels = { 'app.kubernetes.io/name': 'poolwright', 'app.kubernetes.io/part-of': 'poolwright' };

function read({ data = {} }: AuthoritySecret): { authority: Authority; until: number } | undefined {
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const [bundle, cert, key, until] = [text('ca.crt'), text('tls.crt'), text('tls.key'), Number(text('until'))];
  if (bundle === '' || cert === '' || key === '' || !Number.isFinite(until)) return;
  return { authority: { bundle, cert, key, id: fingerprint(cert).slice(0, 6) }, until };
}

const encoded = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/** What we call providers with, renewed when less than half of its time is left. It exists in this process alone. */
export function clientTls(
  { certifier, clock, memory }: ProviderServices,
  { name: cluster }: ProviderPlace,
  authority: Authority,
): ProviderTls {
  const now = clock.now();
  const known = memory.clients.get(cluster);
  if (known?.authority === authority.id && known.until - now > clientMs / 2) return known.tls;
  const until = now + clientMs;
  const made = certifier.issue(
    authority,
    { commonName: clientName, dns: [clientName] },
    { from: now - earlierMs, to: until },
  );
  const tls = { ca: authority.bundle, cert: made.cert, key: made.key };
  memory.clients.set(cluster, { authority: authority.id, tls, until });
  return tls;
}
