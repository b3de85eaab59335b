/** What the server of providers needs for TLS, and whether it may do without. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../../shared/base/error-text.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';

export interface TlsMaterial {
  cert: Buffer;
  key: Buffer;
  /** Clients need a certificate of this authority. */
  ca: Buffer;
}

export type TlsMode = { kind: 'mutual'; directory: string } | { kind: 'plain' };

const names = ['tls.crt', 'tls.key', 'ca.crt'] as const;

/**
 * Mutual TLS if the folder has all three files, and never half of it: a server that asks for no client certificate because one file is
 * missing would be open to all.
 */
export function tlsModeOf(directory: string, insecure: boolean): Result<TlsMode> {
  const missing = names.filter((name) => !existsSync(join(directory, name)));
  if (missing.length === 0) return ok({ kind: 'mutual', directory });
  if (missing.length < names.length) {
    return failed('invalid', `${directory} has no ${missing.join(' and no ')}; mutual TLS needs ${names.join(', ')}`);
  }
  if (insecure) return ok({ kind: 'plain' });
  return failed(
    'invalid',
    `${directory} has no certificates; mount a Secret with ${names.join(', ')} there, or set VIRTRIGAUD_PROVIDER_INSECURE=true for plaintext`,
  );
}

export function readTls(directory: string): Result<TlsMaterial> {
  try {
    const [cert, key, ca] = names.map((name) => readFileSync(join(directory, name)));
    return ok({ cert: cert!, key: key!, ca: ca! });
  } catch (error) {
    return failed('unavailable', errorText(error));
  }
}
