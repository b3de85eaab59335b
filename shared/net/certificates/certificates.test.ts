import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCertificate, makeAuthority } from './certificates.ts';

const validity = { from: Date.UTC(2026, 0), to: Date.UTC(2051, 5, 1, 12) };
const names = { commonName: 'server', dns: ['a.b.svc', 'ü'], uris: ['spiffe://x/y'], addresses: ['127.0.0.1'] };

describe('a certificate authority', () => {
  const authority = makeAuthority({ commonName: 'the authority' }, validity);
  const signer = new X509Certificate(authority.cert);

  it('signs itself, and others', () => {
    expect(signer.ca).toBe(true);
    expect(signer.verify(signer.publicKey)).toBe(true);
    const issued = new X509Certificate(issueCertificate(authority, { ...names, dns: ['a.b.svc'] }, validity).cert);
    expect(issued.ca).toBe(false);
    expect(issued.verify(signer.publicKey)).toBe(true);
    expect(issued.checkIssued(signer)).toBe(true);
    expect(issued.subjectAltName).toBe('DNS:a.b.svc, URI:spiffe://x/y, IP Address:127.0.0.1');
    expect([issued.validFrom, issued.validTo]).toEqual(['Jan  1 00:00:00 2026 GMT', 'Jun  1 12:00:00 2051 GMT']);
  });

  it('gives each certificate a number and a key of its own', () => {
    const [one, two] = [1, 2].map(() => new X509Certificate(issueCertificate(authority, names, validity).cert));
    expect(one!.serialNumber).not.toBe(two!.serialNumber);
    expect(one!.publicKey.equals(two!.publicKey)).toBe(false);
  });

  it('is not taken for another of the same name', () => {
    const other = new X509Certificate(makeAuthority({ commonName: 'the authority' }, validity).cert);
    const issued = new X509Certificate(issueCertificate(authority, names, validity).cert);
    expect(issued.checkIssued(other)).toBe(false);
  });
});
