/**
 * What the identity of a server rests on: the keys of the authorities that its certificate is checked with, or, where the system's are
 * trusted or nothing is encrypted, its address. A renewed authority usually stands beside the old one for a while.
 */
import { nodeCrypto } from '../../base/node-modules.ts';

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export function anchorsOf(ca: string | undefined, url: string): string[] {
  const authorities = (ca?.match(certificate) ?? []).map(keyOf);
  return authorities.length > 0 ? [...new Set(authorities)].sort() : [`address ${addressOf(new URL(url))}`];
}

/** Behind one proxy, clusters differ by their paths. */
const addressOf = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`;

/** A renewed certificate of the same authority has the same key. */
function keyOf(pem: string): string {
  const { createHash, X509Certificate } = nodeCrypto();
  try {
    const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
    return `key ${createHash('sha256').update(key).digest('base64')}`;
  } catch {
    return `text ${createHash('sha256').update(pem).digest('base64')}`;
  }
}
