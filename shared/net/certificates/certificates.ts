/** Makes certificates: an authority, and what it signs for servers and clients. Node reads certificates, but makes none. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { bits, der, integer, objectId, octets, sequence, set, text, time, yes } from './der.ts';

export interface KeyAndCertificate {
  /** PEM, both. */
  key: string;
  cert: string;
}

export interface Validity {
  /** In milliseconds since the epoch. */
  from: number;
  to: number;
}

export interface CertificateNames {
  commonName: string;
  dns?: readonly string[];
  uris?: readonly string[];
  /** IPv4. */
  addresses?: readonly string[];
}

const commonName = objectId('550403');
const extension = {
  names: objectId('551d11'),
  constraints: objectId('551d13'),
  subjectKey: objectId('551d0e'),
  authorityKey: objectId('551d23'),
};
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));

/** A certificate that signs others, and itself. */
export function makeAuthority(names: CertificateNames, validity: Validity): KeyAndCertificate {
  const keys = newKeys();
  return made(
    names,
    validity,
    keys,
    { name: nameOf(names.commonName), privateKey: keys.privateKey, publicKey: keys.publicKey },
    true,
  );
}

/** A certificate for a server or a client, which this authority signs. */
export function issueCertificate(
  authority: KeyAndCertificate,
  names: CertificateNames,
  validity: Validity,
): KeyAndCertificate {
  const privateKey = createPrivateKey(authority.key);
  const { subject } = new X509Certificate(authority.cert);
  const issuer = { name: nameOf(subject.replace(/^CN=/, '')), privateKey, publicKey: createPublicKey(authority.cert) };
  return made(names, validity, newKeys(), issuer, false);
}

interface Issuer {
  name: Buffer;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const nameOf = (name: string): Buffer => sequence(set(sequence(commonName, text(name))));
const infoOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const idOf = (key: KeyObject): Buffer => createHash('sha1').update(infoOf(key)).digest();

function made(
  names: CertificateNames,
  validity: Validity,
  keys: { privateKey: KeyObject; publicKey: KeyObject },
  issuer: Issuer,
  signsOthers: boolean,
): KeyAndCertificate {
  const { dns = [], uris = [], addresses = [] } = names;
  const alternatives = [
    ...dns.map((name) => der(0x82, Buffer.from(name))),
    ...uris.map((uri) => der(0x86, Buffer.from(uri))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  ];
  const extensions = [
    ...(alternatives.length === 0 ? [] : [sequence(extension.names, octets(sequence(...alternatives)))]),
    sequence(extension.constraints, octets(sequence(...(signsOthers ? [yes] : [])))),
    sequence(extension.subjectKey, octets(octets(idOf(keys.publicKey)))),
    sequence(extension.authorityKey, octets(sequence(der(0x80, idOf(issuer.publicKey))))),
  ];
  const body = sequence(
    der(0xa0, integer(Buffer.of(2))),
    integer(randomBytes(16).fill(1, 0, 1)),
    ecdsaWithSha256,
    issuer.name,
    sequence(time(validity.from), time(validity.to)),
    nameOf(names.commonName),
    infoOf(keys.publicKey),
    der(0xa3, sequence(...extensions)),
  );
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, issuer.privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
