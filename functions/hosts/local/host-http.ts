/** The HTTP functions as this host serves them: with the token of its data directory, or of the file that is configured. */
import { defined } from '../../../shared/base/defined.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Config } from '../../../shared/config/load.ts';
import { createHttpApp, type HttpOptions } from '../../http/app.ts';
import type { Logs } from '../../http/routes/logs/log-page.ts';
import { readiness } from '../common/checks/ready-checks.ts';
import { auditSettings } from '../common/members.ts';
import { type DataDirectory, readToken } from './data-directory.ts';
import { type HttpServer, serveHttp } from './http-server.ts';
import type { InterruptionReceivers } from './interruption-queues.ts';
import { writeCheck } from './write-check.ts';

export interface HostHttpParts
  extends Required<Pick<HttpOptions, 'services' | 'intake' | 'members' | 'version' | 'workflows'>> {
  config: Config;
  directory: DataDirectory;
  logs?: Logs | undefined;
  /** Fires when the host stops. */
  signal: AbortSignal;
  /** Undefined before anything is received. */
  interruptionChecks: () => ReturnType<InterruptionReceivers['checks']> | undefined;
}

/** What opens the HTTP API for its holder. */
export const hostToken = ({ http: { tokenFile } }: Config, directory: DataDirectory): string | undefined =>
  tokenFile === undefined ? directory.token() : readToken(tokenFile);

export async function serveHost(parts: HostHttpParts): Promise<Result<HttpServer>> {
  const { config, directory, services, intake, members, version, workflows, logs, signal } = parts;
  const dataDirectory = writeCheck(directory, services.clock);
  const app = createHttpApp({
    services,
    token: () => hostToken(config, directory),
    intake,
    members,
    audit: auditSettings(config),
    version,
    workflows,
    canStream: true,
    ...defined({ logs }),
    ready: () =>
      readiness(services, {
        host: signal.aborted ? { ok: false, message: 'stopping' } : { ok: true },
        'data directory': dataDirectory(),
        ...parts.interruptionChecks(),
      }),
  });
  // Before anybody can ask: who reads the file as soon as the host answers must find it.
  directory.token();
  return serveHttp(app, config.http, services.log);
}
