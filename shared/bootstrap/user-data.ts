/** User data as a cloud takes it: in base64, within its limits, and packed only where what reads it unpacks. */
import { gzipSync } from 'node:zlib';
import { failed, ok, type Result } from '../base/result.ts';

export interface UserDataLimits {
  /** The longest that the cloud takes, in characters of base64. */
  most: number;
  /** Where the limit comes from, and who can raise it. */
  because: string;
}

/** `Auto`: only where it would not fit else. */
export type Compression = 'Auto' | 'Always' | 'Never';

export interface EncodedUserData {
  base64: string;
  packed: boolean;
}

/** What cloud-init knows by its first line; it unpacks gzip before it looks. */
const ofCloudInit =
  /^(#!|#cloud-config|#cloud-boothook|#cloud-config-archive|#include|#part-handler|## template:|content-type:|mime-version:)/i;

/**
 * As it is if that fits, because people can read it then. Nothing else than cloud-init is known to unpack: what is for Ignition or
 * for Windows is only packed if somebody says so.
 */
export function encodeUserData(
  text: string,
  limits: UserDataLimits,
  field: string,
  compression: Compression = 'Auto',
): Result<EncodedUserData> {
  const plain = Buffer.from(text).toString('base64');
  const isPackable = compression === 'Always' || (compression === 'Auto' && ofCloudInit.test(text));
  if (plain.length <= limits.most && compression !== 'Always') return ok({ base64: plain, packed: false });
  const packed = isPackable ? gzipSync(Buffer.from(text), { level: 9 }).toString('base64') : undefined;
  if (packed !== undefined && packed.length <= limits.most) return ok({ base64: packed, packed: true });
  const sizes =
    packed === undefined
      ? `${plain.length} characters in base64, and ${compression === 'Never' ? 'it is not to be sent as gzip' : "it is not for cloud-init, so it can't be sent as gzip"}`
      : `${plain.length} characters in base64, ${packed.length} as gzip`;
  return failed(
    'invalid',
    `${field} is too long: ${sizes}; at most ${limits.most} are possible (${limits.because}). Move what is long into the image, or fetch it when the machine starts`,
    { about: 'node-class' },
  );
}
