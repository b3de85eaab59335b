import type { PeerCertificate } from 'node:tls';

/** The names that a client's certificate has: DNS names and URIs, and the common name. */
export function namesIn({ subject, subjectaltname = '' }: PeerCertificate): string[] {
  const alternative = subjectaltname.split(/,\s*/).flatMap((part) => /^(?:DNS|URI):"?([^"]*)"?$/.exec(part)?.[1] ?? []);
  const common = [subject?.CN ?? []].flat();
  return [...alternative, ...common];
}

export const isAllowed = (certificate: PeerCertificate, allowed: readonly string[]): boolean =>
  allowed.length === 0 || namesIn(certificate).some((name) => allowed.includes(name));
