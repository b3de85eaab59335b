/**
 * What the server is told by its environment, under the names that VirtRigaud's manager sets for the images of providers. Everything that is wrong
 * is reported at once.
 */
import { parseSeconds } from '../../../shared/base/durations.ts';
import { type Checked, misspelled } from '../../../shared/base/problems.ts';
import type { Problem } from '../../../shared/base/result.ts';
import { deadlineSeconds, timeoutVariable } from '../../../shared/drivers/grpc/deadlines.ts';
import type { CallName } from '../../../shared/drivers/protocol/service.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProviderSettings {
  /** What is shown as the type; the driver may be another one. */
  type: string;
  name: string;
  endpoint: string;
  insecure: boolean;
  allowedNames: readonly string[];
  rate: { qps: number; burst: number };
  secondsOf(call: CallName): number;
  log: { level: 'debug' | 'info' | 'warn' | 'error'; json: boolean };
}

const drivers = ['mock'] as const;
/** The default of a Provider's `rateLimit`. */
const usualRate = { qps: 10, burst: 20 };

/** `ownDriver`: the driver comes from a file, so the type may be any. */
export function settingsFrom(
  env: Environment,
  { type = env.PROVIDER_TYPE ?? '', ownDriver = false }: { type?: string | undefined; ownDriver?: boolean } = {},
): Checked<ProviderSettings> {
  const problems: Problem[] = [];
  const driver = env.POOLWRIGHT_DRIVER ?? (type === '' ? 'mock' : type);
  if (!ownDriver && driver !== 'mock') {
    const message = `there is no driver "${driver}"; set POOLWRIGHT_DRIVER, PROVIDER_TYPE or --type to one of ${drivers.join(', ')}, or pass a file with --driver`;
    problems.push(misspelled('POOLWRIGHT_DRIVER', message, driver, drivers));
  }
  const number = (name: string, usual: number): number => {
    const text = env[name];
    if (text === undefined || text === '') return usual;
    if (Number(text) > 0) return Number(text);
    problems.push({ path: name, message: 'must be a number above 0' });
    return usual;
  };
  const all = duration(env, 'PROVIDER_TIMEOUT', problems);
  const own = new Map<CallName, number>();
  for (const call of Object.keys(deadlineSeconds) as CallName[]) {
    const seconds = duration(env, timeoutVariable(call), problems) ?? all;
    if (seconds !== undefined) own.set(call, seconds);
  }
  const level = (env.LOG_LEVEL ?? 'info').toLowerCase();
  if (!isLevel(level)) problems.push(misspelled('LOG_LEVEL', 'must be debug, info, warn or error', level, levels));
  const settings: ProviderSettings = {
    type: type === '' ? driver : type,
    name: [env.PROVIDER_NAMESPACE, env.PROVIDER_NAME].filter(Boolean).join('/') || 'provider',
    endpoint: withoutCredentials(env.PROVIDER_ENDPOINT ?? ''),
    insecure: env.VIRTRIGAUD_PROVIDER_INSECURE === 'true' || env.TLS_ENABLED === 'false',
    allowedNames: (env.VIRTRIGAUD_PROVIDER_ALLOWED_SANS ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    rate: { qps: number('RATE_LIMIT_QPS', usualRate.qps), burst: number('RATE_LIMIT_BURST', usualRate.burst) },
    secondsOf: (call) => own.get(call) ?? deadlineSeconds[call],
    log: { level: isLevel(level) ? level : 'info', json: env.LOG_FORMAT !== 'text' && env.LOG_FORMAT !== 'console' },
  };
  return problems.length === 0 ? { ok: true, value: settings } : { ok: false, problems };
}

function duration(env: Environment, name: string, problems: Problem[]): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return;
  const seconds = parseSeconds(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  problems.push({ path: name, message: 'must be a duration such as "300s" or "5m"' });
  return;
}

const levels = ['debug', 'info', 'warn', 'error'] as const;
const isLevel = (text: string): text is (typeof levels)[number] => (levels as readonly string[]).includes(text);

/** An address goes to metrics and logs; a user and a password in it do not. */
const withoutCredentials = (endpoint: string): string => endpoint.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
