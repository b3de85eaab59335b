/** Who we are for one cluster: a token, a certificate, or somebody who gives either; renewed while the client lives. */

import { ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { rememberPrivateKey } from '../../base/secrets/remember-parts.ts';
import { unlessAborted } from '../../base/until-aborted.ts';
import type { TlsIdentity } from '../../net/http-agents.ts';
import type { Log } from '../../observe/log/log.ts';
import type { ClusterAccess, ExecPlugin } from './access.ts';
import { clientCertificateProblem } from './certificates.ts';
import type { ExecCredential, ExecOptions } from './exec-plugin.ts';
import { tlsSource } from './tls-files.ts';
import { tokenSource } from './token.ts';

/** The caller may go; the work goes on for the others. */
const givenUp = 'The caller canceled the wait for credentials.';

export interface Credentials {
  /** Something to wait for before a request can be sent; undefined, as nearly always, when all is at hand. */
  prepare(signal?: AbortSignal): Promise<Result<void>> | undefined;
  token(): string | undefined;
  tls(): TlsIdentity;
  /** Grows with every change. Note it before a request, and hand it to `refresh` when the request was refused. */
  version(): number;
  /** True if there are other credentials than those of `version`, so that one more try makes sense. */
  refresh(version: number): Promise<boolean>;
  /** Why the server may refuse us, as far as it can be seen from here. */
  problem(): string | undefined;
  close(): void;
}

export interface CredentialOptions {
  clock: Clock;
  log: Log;
  /** What a command for credentials finds in its environment. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  execTimeoutMs?: number | undefined;
}

type RunPlugin = (plugin: ExecPlugin, options: ExecOptions) => Promise<Result<ExecCredential>>;

const usualExecTimeoutMs = 60_000;
/** Renewed in the background when so little is left, and waited for when it is nearly over. */
const soonMs = 60_000;
const lastMomentMs = 5000;
/** A command that failed, or whose credentials were refused, is not run again at once: a process is dear. */
const execPauseMs = 10_000;

export function credentialsFor(access: ClusterAccess, options: CredentialOptions): Credentials {
  const { clock, log } = options;
  const fixedToken = tokenSource(access, clock, log);
  const tls = tlsSource(access, clock, log);
  // As with kubectl: whoever gives a token as well means the token.
  const plugin = access.token === undefined && access.tokenFile === undefined ? access.exec : undefined;
  const exec =
    access.issue !== undefined
      ? issuedSource(issuedBy(access.issue), clock, 0)
      : plugin === undefined
        ? undefined
        : issuedSource(runBy(plugin, options), clock, execPauseMs);
  let version = 0;
  let issued: ExecCredential | undefined;
  let base: TlsIdentity | undefined;
  let identity: TlsIdentity = tls.current();

  const currentTls = (): TlsIdentity => {
    const now = tls.current();
    const credential = exec?.current();
    // A new object means new connections, so it is made only when a certificate has changed.
    if (now === base && credential?.cert === issued?.cert && credential?.key === issued?.key) return identity;
    base = now;
    issued = credential;
    const { cert, key } = credential ?? {};
    identity = cert === undefined || key === undefined ? now : { ...now, cert, key };
    return identity;
  };

  return {
    prepare: (signal) => exec?.prepare(signal),
    token: () => (exec === undefined ? fixedToken.current() : exec.current()?.token),
    tls: currentTls,
    version: () => version + (exec?.version() ?? 0),
    refresh: async (known) => {
      if (known !== version + (exec?.version() ?? 0)) return true;
      const changed = [fixedToken.refresh(), tls.refresh()].includes(true);
      if (changed) version += 1;
      const renewed = (await exec?.renew()) ?? false;
      return changed || renewed || known !== version + (exec?.version() ?? 0);
    },
    problem: () => {
      const { cert, key } = currentTls();
      return cert === undefined || key === undefined ? undefined : clientCertificateProblem(cert, key, clock)?.text;
    },
    close: () => exec?.close(),
  };
}

/** One try to get credentials. */
type Issue = (renew: boolean, signal: AbortSignal) => Promise<Result<ExecCredential>>;

const issuedBy =
  (issue: NonNullable<ClusterAccess['issue']>): Issue =>
  (renew, signal) =>
    issue({ renew, signal });

const runBy =
  (plugin: ExecPlugin, { env, execTimeoutMs = usualExecTimeoutMs }: CredentialOptions): Issue =>
  async (_renew, signal) => {
    // Loaded when it is needed: most deployments never start a process.
    const { runExecPlugin }: { runExecPlugin: RunPlugin } = await import('./exec-plugin.ts');
    return runExecPlugin(plugin, { env: env ?? process.env, timeoutMs: execTimeoutMs, signal });
  };

/** `pauseMs`: for so long after a success nobody is asked for other credentials. */
function issuedSource(issue: Issue, clock: Clock, pauseMs: number) {
  const stop = new AbortController();
  let known: ExecCredential | undefined;
  let version = 0;
  let running: Promise<Result<void>> | undefined;
  let last: { at: number; failure?: Result<never> } | undefined;

  const run = async (renew: boolean): Promise<Result<void>> => {
    const result = await issue(renew, stop.signal);
    if (!result.ok) {
      last = { at: clock.monotonic(), failure: result };
      return result;
    }
    last = { at: clock.monotonic() };
    const { token, cert, key } = result.value;
    rememberSecret(token);
    rememberPrivateKey(key);
    if (token !== known?.token || cert !== known?.cert) version += 1;
    known = result.value;
    return ok(undefined);
  };

  /** One try for all who wait, and none right after one that failed. */
  const start = (renew = false): Promise<Result<void>> => {
    if (running !== undefined) return running;
    if (last?.failure !== undefined && clock.monotonic() - last.at < execPauseMs) return Promise.resolve(last.failure);
    running = run(renew).finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    current: () => known,
    version: () => version,
    prepare: (signal?: AbortSignal): Promise<Result<void>> | undefined => {
      const left = known === undefined ? 0 : (known.expiresAt ?? Number.POSITIVE_INFINITY) - clock.now();
      if (left > soonMs) return undefined;
      const started = start();
      return left > lastMomentMs ? undefined : unlessAborted(started, signal, givenUp);
    },
    renew: async (): Promise<boolean> => {
      const before = version;
      if (running === undefined && last !== undefined && clock.monotonic() - last.at < pauseMs) return false;
      const renewed = await start(true);
      return renewed.ok && version !== before;
    },
    close: () => stop.abort(),
  };
}
