/** Makes a certificate for 127.0.0.1 on the spot, so that no key has to lie in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface KeyAndCertificate {
  key: string;
  cert: string;
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const set = (...parts: Buffer[]): Buffer => der(0x31, ...parts);
const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
const integer = (value: number): Buffer => der(0x02, Buffer.of(value));
const utcTime = (value: string): Buffer => der(0x17, Buffer.from(value));
const octets = (value: Buffer): Buffer => der(0x04, value);
const bits = (value: Buffer): Buffer => der(0x03, Buffer.of(0), value);
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const commonName = objectId('550403');
const subjectAltName = objectId('551d11');
const basicConstraints = objectId('551d13');
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));

/** In UTCTime: two digits for each of year, month, day, hour, minute, second, then Z. */
export interface Validity {
  from: string;
  to: string;
}

const longLived: Validity = { from: '200101000000Z', to: '490101000000Z' };

export function selfSigned(name: string, validity = longLived): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const who = sequence(set(sequence(commonName, text(name))));
  const loopback = der(0x87, Buffer.of(127, 0, 0, 1));
  const isAuthority = der(0x01, Buffer.of(0xff));
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    who,
    sequence(utcTime(validity.from), utcTime(validity.to)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(subjectAltName, octets(sequence(loopback))),
        sequence(basicConstraints, octets(sequence(isAuthority))),
      ),
    ),
  );
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}
