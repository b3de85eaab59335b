/**
 * The signature of a notification: HMAC-SHA256 over the time and the body, so that a receiver can tell who sent it, that nobody changed it,
 * and that it is not an old one sent again.
 *
 * @example
 * signature('{"id":"1"}', ['secret'], 1790000000); // 't=1790000000,v1=5f2c…'
 */
import { nodeCrypto } from '../../base/node-modules.ts';

export const signatureHeader = 'poolwright-signature';

/** One `v1` for each key: while a key is replaced, receivers with the old and with the new one both find theirs. */
export function signature(body: string, keys: readonly string[], seconds: number): string | undefined {
  if (keys.length === 0) return undefined;
  const digests = keys.map((key) => nodeCrypto().createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex'));
  return [`t=${seconds}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
}
