/** The few parts of ASN.1 that a certificate is made of. */

/** Tag, length, content. */
export function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

export const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
export const set = (...parts: Buffer[]): Buffer => der(0x31, ...parts);
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value));
export const octets = (value: Buffer): Buffer => der(0x04, value);
export const bits = (value: Buffer): Buffer => der(0x03, Buffer.of(0), value);
export const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
export const yes = der(0x01, Buffer.of(0xff));

/** Not negative: the first bit is that of the sign. */
export const integer = (bytes: Buffer): Buffer =>
  der(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));

/** Two digits for the year up to 2049, four after it. */
export function time(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
  return Number(digits.slice(0, 4)) < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}
