/** Certificates that somebody renews in their files: read again now and then, and taken when they are whole. */

import { readFileSync } from 'node:fs';
import { defined } from '../../base/defined.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberPrivateKey } from '../../base/secrets/remember-parts.ts';
import type { TlsIdentity } from '../../net/http-agents.ts';
import type { Log } from '../../observe/log/log.ts';
import type { ClusterAccess } from './access.ts';
import { authorityProblem, clientCertificateProblem } from './certificates.ts';

export interface TlsSource {
  /** The same object as long as nothing has changed. */
  current(): TlsIdentity;
  /** Reads the files again, now. True if there is something new, so that one more try makes sense. */
  refresh(): boolean;
}

/** As for token files: whoever renews certificates does so long before they expire. */
const rereadAfterMs = 60_000;

export function tlsSource(access: ClusterAccess, clock: Clock, log: Log): TlsSource {
  const { files = {}, tlsServerName, skipTlsVerify } = access;
  const identity = (texts: Texts): TlsIdentity => ({
    ...defined({ ca: texts.ca, cert: texts.cert, key: texts.key, serverName: tlsServerName }),
    ...(skipTlsVerify === true ? { insecure: true } : {}),
  });
  let texts: Texts = { ca: access.ca, cert: access.cert, key: access.key };
  rememberPrivateKey(texts.key);
  let now = identity(texts);
  if (files.ca === undefined && files.cert === undefined && files.key === undefined) {
    return { current: () => now, refresh: () => false };
  }

  let readAt = clock.monotonic();
  const refresh = (): boolean => {
    readAt = clock.monotonic();
    const fresh = readAgain();
    if (fresh === undefined || same(fresh, texts)) return false;
    rememberPrivateKey(fresh.key);
    // Certificate and key are two files: a pair that was read in mid-renewal does not fit, and the old one stays.
    const problem = problemWith(fresh);
    if (problem !== undefined) {
      log.write('cluster.certificate-file.unusable', { files, problem });
      return false;
    }
    texts = fresh;
    now = identity(fresh);
    return true;
  };

  const readAgain = (): Texts | undefined => {
    const read = (file: string | undefined, otherwise: string | undefined): string | undefined =>
      file === undefined ? otherwise : readFileSync(file, 'utf8');
    try {
      return { ca: read(files.ca, texts.ca), cert: read(files.cert, texts.cert), key: read(files.key, texts.key) };
    } catch (error) {
      log.write('cluster.certificate-file.unusable', { files, error });
      return undefined;
    }
  };

  const problemWith = ({ ca, cert, key }: Texts): string | undefined =>
    (ca === undefined ? undefined : authorityProblem(ca, clock)?.text) ??
    (cert === undefined || key === undefined ? undefined : clientCertificateProblem(cert, key, clock)?.text);

  return {
    current: () => {
      if (clock.monotonic() - readAt >= rereadAfterMs) refresh();
      return now;
    },
    refresh,
  };
}

interface Texts {
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

function same(one: Texts, other: Texts): boolean {
  return one.ca === other.ca && one.cert === other.cert && one.key === other.key;
}
