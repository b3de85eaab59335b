/** Makes a certificate for 127.0.0.1 on the spot, so that no key has to lie in the repository. */
import { type KeyAndCertificate, makeAuthority } from '../../shared/net/certificates/certificates.ts';

export type { KeyAndCertificate } from '../../shared/net/certificates/certificates.ts';

const longLived = { from: Date.UTC(2020, 0), to: Date.UTC(2049, 0) };

export const selfSigned = (name: string, validity = longLived): KeyAndCertificate =>
  makeAuthority({ commonName: name, addresses: ['127.0.0.1'] }, validity);
