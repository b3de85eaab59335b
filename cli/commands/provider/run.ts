/** `poolwright provider`: a machine driver in a process of its own, next to its hypervisor. */
import { readFileSync } from 'node:fs';
import { credentialsIn } from '../../../functions/hosts/provider/credentials.ts';
import { startProviderHost } from '../../../functions/hosts/provider/host.ts';
import { loadDriver } from '../../../functions/hosts/provider/load-driver.ts';
import { type ProviderSettings, settingsFrom } from '../../../functions/hosts/provider/settings.ts';
import { tlsModeOf } from '../../../functions/hosts/provider/tls-settings.ts';
import { sameToken } from '../../../functions/hosts/provider/token.ts';
import { defined } from '../../../shared/base/defined.ts';
import { describeProblems } from '../../../shared/base/problems.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemRandom } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { mockOptionsFrom } from '../../../shared/drivers/mock/options.ts';
import { createLog } from '../../../shared/observe/log/log.ts';
import { untilStopped } from '../../terminal/signals.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface ProviderCommandOptions {
  type?: string;
  listen: string;
  port: number;
  healthPort: number;
  tlsDir: string;
  insecure?: boolean;
  tokenFile?: string;
  stateFile?: string;
  driver?: string;
  credentialsDir: string;
}

const healthSeconds = 30;

export async function provider(options: ProviderCommandOptions): Promise<number> {
  const checked = settingsFrom(process.env, { type: options.type, ownDriver: options.driver !== undefined });
  if (!checked.ok) throw wrong(describeProblems(checked.problems));
  const settings = checked.value;
  const tls = tlsModeOf(options.tlsDir, settings.insecure || options.insecure === true);
  if (!tls.ok) throw new UserError(tls.error.message, { code: 'CertificateUnusable' });
  const { tokenFile } = options;
  const log = createLog({ level: settings.log.level, pretty: !settings.log.json || process.stdout.isTTY === true });
  const driver = await driverFor(options, settings);
  if (!driver.ok) throw wrong(driver.error.message);
  const started = await startProviderHost({
    driver: driver.value,
    name: settings.name,
    endpoint: settings.endpoint,
    host: options.listen,
    port: options.port,
    healthPort: options.healthPort,
    tls: tls.value,
    allowedNames: settings.allowedNames,
    ...(tokenFile === undefined ? {} : { isToken: (token) => sameToken(token, () => readFileSync(tokenFile, 'utf8')) }),
    rate: settings.rate,
    secondsOf: settings.secondsOf,
    healthSeconds,
    clock: systemClock,
    timers: systemTimers,
    log,
  });
  if (!started.ok)
    throw new UserError(started.error.message, {
      code: started.error.kind === 'invalid' ? 'CertificateUnusable' : 'PortTaken',
    });
  await untilStopped();
  await started.value.stop();
  return 0;
}

async function driverFor(options: ProviderCommandOptions, settings: ProviderSettings): Promise<Result<MachineDriver>> {
  const parts = { clock: systemClock, timers: systemTimers, random: systemRandom };
  if (options.driver !== undefined) {
    const { type } = settings;
    const credentials = credentialsIn(options.credentialsDir);
    // With what it may contain of a user and a password: the driver needs both.
    const endpoint = process.env.PROVIDER_ENDPOINT ?? '';
    return loadDriver(options.driver, { type, endpoint, credentials, env: process.env, ...parts });
  }
  const mock = mockOptionsFrom({ ...process.env, ...defined({ MOCK_STATE_FILE: options.stateFile }) });
  return mock.ok ? ok(mockDriver(mock.value, parts)) : mock;
}

const wrong = (message: string): UserError => new UserError(message, { code: 'InvalidOption' });
