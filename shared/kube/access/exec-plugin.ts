/**
 * Runs the command that a kubeconfig names for credentials (client.authentication.k8s.io). It runs without a terminal, under a
 * time limit, and nothing that it prints reaches a log: its output is the credential, and its complaints may quote one.
 */

import { spawn } from 'node:child_process';
import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { redactSecrets, rememberSecret } from '../../base/secrets/known-secrets.ts';
import { isSecretKey, scrubText } from '../../observe/log/redact.ts';
import type { ExecPlugin } from './access.ts';

export interface ExecCredential {
  token?: string;
  cert?: string;
  key?: string;
  /** Milliseconds since the epoch; absent: good until the server refuses it. */
  expiresAt?: number;
}

export interface ExecOptions {
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const maxOutputBytes = 1024 * 1024;
const maxComplaint = 300;

export async function runExecPlugin(plugin: ExecPlugin, options: ExecOptions): Promise<Result<ExecCredential>> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...defined({ cluster: plugin.cluster }) },
  };
  // What is only a name or a region would be missed in every line.
  for (const [name, value] of Object.entries(plugin.env)) if (isSecretKey(name)) rememberSecret(value);
  const env = { ...options.env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const ended = await run(plugin, env, options);
  const about = `The credential command ${plugin.command}`;
  switch (ended.end) {
    case 'unstartable':
      if (ended.code === 'ENOENT') {
        const hint = plugin.installHint === undefined ? '' : ` ${plugin.installHint.trim()}`;
        return failed('unauthorised', `${about} is not installed, or not in the PATH.${hint}`);
      }
      return failed('unauthorised', `${about} cannot be started (${ended.code}).`);
    case 'late':
      return failed('unavailable', `${about} did not finish within ${Math.round(options.timeoutMs / 1000)} s.`);
    case 'aborted':
      return failed('unavailable', `${about} was canceled by the caller.`);
    case 'long':
      return failed('unauthorised', `${about} printed more than ${maxOutputBytes} bytes.`);
    case 'ended': {
      if (ended.code === 0) return readCredential(ended.output, plugin, about);
      const said = complaint(ended.errors, plugin);
      return failed('unauthorised', `${about} failed with ${ended.code}${said === '' ? '' : `: ${said}`}`);
    }
  }
}

type Ended =
  | { end: 'unstartable'; code: string }
  | { end: 'late' | 'aborted' | 'long' }
  | { end: 'ended'; code: number | string; output: string; errors: string };

function run(plugin: ExecPlugin, env: Record<string, string | undefined>, options: ExecOptions): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(plugin.command, plugin.args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      // A process group of its own, so that what it has started can be ended with it.
      detached: true,
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const finish = (ended: Ended): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      if (ended.end !== 'ended') endGroup(child.pid);
      // What it has started may hold the pipes open; nobody reads them any more.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(ended);
    };
    const onAbort = (): void => finish({ end: 'aborted' });
    const timer = setTimeout(() => finish({ end: 'late' }), options.timeoutMs);
    if (options.signal?.aborted === true) return onAbort();
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) finish({ end: 'long' });
      else chunks.push(chunk);
    };
    child.stdout.on('data', keep(output));
    child.stderr.on('data', keep(errors));
    child.on('error', (error) =>
      finish({ end: 'unstartable', code: 'code' in error && typeof error.code === 'string' ? error.code : error.name }),
    );
    child.on('close', (code, signal) =>
      finish({
        end: 'ended',
        code: code ?? signal ?? 'unknown',
        output: Buffer.concat(output).toString('utf8'),
        errors: Buffer.concat(errors).toString('utf8'),
      }),
    );
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

function readCredential(output: string, plugin: ExecPlugin, about: string): Result<ExecCredential> {
  let parsed: Json;
  try {
    parsed = JSON.parse(output) as Json;
  } catch {
    return failed('unauthorised', `${about} printed invalid JSON.`);
  }
  const answer = asObject(parsed);
  if (answer?.kind !== 'ExecCredential' || answer.apiVersion !== plugin.apiVersion) {
    return failed(
      'unauthorised',
      `${about} must print an ExecCredential of ${plugin.apiVersion}, and printed another kind.`,
    );
  }
  const status = asObject(answer.status) ?? {};
  const token = textOf(status.token);
  const cert = textOf(status.clientCertificateData);
  const key = textOf(status.clientKeyData);
  if (token === undefined && cert === undefined) {
    return failed('unauthorised', `${about} printed neither a token nor a client certificate.`);
  }
  if ((cert === undefined) !== (key === undefined)) {
    return failed('unauthorised', `${about} printed a client certificate or a key without the other.`);
  }
  const expiresAt = Date.parse(textOf(status.expirationTimestamp) ?? '');
  return ok({
    ...defined({ token, cert, key }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  });
}

/** The last line that it complained with, without anything that it was given to keep, or that looks like a credential. */
function complaint(errors: string, plugin: ExecPlugin): string {
  const lines = redactSecrets(errors)
    .split('\n')
    .map((line) => line.trim());
  let line = lines.findLast((one) => one !== '') ?? '';
  for (const secret of Object.values(plugin.env)) if (secret.length >= 4) line = line.replaceAll(secret, '[redacted]');
  // What is called a secret is one, however short: `--password=abc`, `client secret: abc`.
  line = line
    .replace(/([\w-]*(?:passw\w*|passphrase|secret|token|key|code))=("[^"]*"|\S+)/gi, '$1=[redacted]')
    .replace(/(passw\w*|passphrase|secret):\s*("[^"]*"|\S+)/gi, '$1: [redacted]');
  // Keys, tokens and the like are long and have digits; words and paths are not both.
  line = line.replace(/[\w.~+=-]{20,}/g, (word) => (/\d/.test(word) ? '[redacted]' : word));
  return scrubText(line.length > maxComplaint ? `${line.slice(0, maxComplaint)}…` : line);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
