/** The way in for a pod: the address from its environment, token and authority from its mounted service account. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { failed, ok, type Result } from '../../base/result.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import type { ClusterAccess } from './access.ts';

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

export function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  folder = serviceAccountFolder,
): Result<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host === undefined || host === '' || port === undefined || port === '') {
    return failed(
      'invalid',
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this does not run in a pod; use kubeconfig or server instead',
    );
  }
  const files = { ca: join(folder, 'ca.crt'), token: join(folder, 'token') };
  let ca: string;
  try {
    ca = readFileSync(files.ca, 'utf8');
    // Who can't read it now never will: better to say so than to ask as nobody.
    rememberSecret(readFileSync(files.token, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return failed(
      'invalid',
      `the service account in ${folder} cannot be read (${code}); does the pod have automountServiceAccountToken: false, or does it run under another user?`,
    );
  }
  const authority = isIP(host) === 6 ? `[${host}]` : host;
  return ok({ url: `https://${authority}:${port}`, ca, files: { ca: files.ca }, tokenFile: files.token });
}
