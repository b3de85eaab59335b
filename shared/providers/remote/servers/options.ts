/** How one provider server is reached, from the options of the provider and from variables under VirtRigaud's names. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../base/defined.ts';
import { parseSeconds } from '../../../base/durations.ts';
import type { Environment } from '../../../base/environment.ts';
import { didYouMean } from '../../../base/nearest.ts';
import type { Problem } from '../../../base/problems.ts';
import * as z from '../../../base/schemas.ts';
import type { ConnectionOptions } from '../../../drivers/grpc/connect.ts';
import { deadlineSeconds, timeoutVariable } from '../../../drivers/grpc/deadlines.ts';
import { addressOf } from '../../../drivers/grpc/endpoint.ts';
import type { CallName } from '../../../drivers/protocol/service.ts';

const text = z.optional(z.string());
const positive = z.optional(z.number().check(z.gt(0)));

export const serverSchema = z.strictObject({
  endpoint: z.string(),
  type: text,
  plaintext: z.optional(z.boolean()),
  tls: z.optional(z.strictObject({ directory: text, ca: text, cert: text, key: text, serverName: text })),
  tokenFile: text,
  rate: z.optional(z.strictObject({ qps: positive, burst: positive })),
  breaker: z.optional(z.strictObject({ failures: positive, openSeconds: positive, testCalls: positive })),
  timeouts: z.optional(z.record(z.string(), z.number().check(z.gt(0)))),
});
export type ServerSettings = z.infer<typeof serverSchema>;

const callNames = Object.keys(deadlineSeconds) as CallName[];
const isPem = (value: string): boolean => value.includes('-----BEGIN ');

export function connectionFrom(
  name: string,
  settings: ServerSettings,
  env: Environment,
): { connection: ConnectionOptions; problems: Problem[] } {
  const at = `options.servers.${name}`;
  const problems: Problem[] = [];
  const address = addressOf(settings.endpoint);
  if (address === undefined) {
    const message = 'must be host:port, such as provider.virt.svc:9443, or a URL with a host and a port';
    problems.push({ path: `${at}.endpoint`, message });
  }
  const connection: ConnectionOptions = {
    name,
    type: settings.type ?? 'remote',
    address: address ?? '',
    rate: {
      perSecond: settings.rate?.qps ?? numberIn(env, 'RATE_LIMIT_QPS', problems) ?? 10,
      burst: settings.rate?.burst ?? numberIn(env, 'RATE_LIMIT_BURST', problems) ?? 20,
    },
    breaker: defined({
      failures: settings.breaker?.failures ?? numberIn(env, 'CB_FAILURE_THRESHOLD', problems),
      openSeconds: settings.breaker?.openSeconds ?? numberIn(env, 'CB_RESET_SECONDS', problems),
      testCalls: settings.breaker?.testCalls ?? numberIn(env, 'CB_HALF_OPEN_MAX_CALLS', problems),
    }),
    seconds: deadlines(at, settings.timeouts ?? {}, env, problems),
    ...tlsFrom(at, settings, problems),
    ...defined({ tokenFile: settings.tokenFile, tries: numberIn(env, 'RETRY_MAX_ATTEMPTS', problems) }),
  };
  return { connection, problems };
}

function tlsFrom(
  at: string,
  { tls, plaintext, tokenFile }: ServerSettings,
  problems: Problem[],
): Pick<ConnectionOptions, 'tls' | 'serverName'> {
  if (tls !== undefined && plaintext === true) {
    problems.push({ path: `${at}.plaintext`, message: 'cannot be combined with tls; remove one of them' });
    return {};
  }
  if (tls === undefined) {
    if (plaintext !== true) {
      const message = 'is missing; give tls.directory with tls.crt, tls.key and ca.crt, or set plaintext: true';
      problems.push({ path: `${at}.tls`, message });
    } else if (tokenFile !== undefined) {
      const message = 'needs tls: in plaintext anyone on the way can read the token';
      problems.push({ path: `${at}.tokenFile`, message });
    }
    return {};
  }
  const { directory, serverName } = tls;
  // A Secret that is mounted later has all three; where it is there, it may do without a certificate of ours.
  const isThere = directory !== undefined && existsSync(directory);
  const inDirectory = (file: string): string | undefined => {
    const path = directory === undefined ? undefined : join(directory, file);
    return path === undefined || (isThere && !existsSync(path)) ? undefined : path;
  };
  const ca = tls.ca ?? inDirectory('ca.crt');
  const cert = tls.cert ?? inDirectory('tls.crt');
  const key = tls.key ?? inDirectory('tls.key');
  if ((cert === undefined) !== (key === undefined)) {
    problems.push({ path: `${at}.tls`, message: 'has a certificate or a key; it needs both, or none of them' });
  }
  const given = defined({ ca, cert, key });
  const texts = Object.values(given);
  if (texts.every((one) => isPem(one))) return { tls: { pem: given }, ...defined({ serverName }) };
  if (texts.some((one) => isPem(one))) {
    problems.push({ path: `${at}.tls`, message: 'has files and texts in PEM; give either files or texts' });
  }
  if (ca === undefined) {
    problems.push({ path: `${at}.tls.ca`, message: 'is missing: the file with the authority of the server' });
    return {};
  }
  return { tls: { ca, ...defined({ cert, key }) }, ...defined({ serverName }) };
}

function deadlines(
  at: string,
  timeouts: Readonly<Record<string, number>>,
  env: Environment,
  problems: Problem[],
): Partial<Record<CallName, number>> {
  const seconds: Partial<Record<CallName, number>> = {};
  for (const call of callNames) {
    const variable = timeoutVariable(call);
    const given = env[variable];
    if (given === undefined || given === '') continue;
    const parsed = parseSeconds(given);
    if (parsed !== undefined && parsed > 0) seconds[call] = parsed;
    else problems.push({ path: '', message: `${variable}: must be a duration such as "300s" or "5m"` });
  }
  for (const [name, value] of Object.entries(timeouts)) {
    const call = callNames.find((one) => one === name);
    if (call !== undefined) seconds[call] = value;
    else {
      const message = `there is no such call${didYouMean(name, callNames)} (known: ${callNames.join(', ')})`;
      problems.push({ path: `${at}.timeouts.${name}`, message });
    }
  }
  return seconds;
}

function numberIn(env: Environment, name: string, problems: Problem[]): number | undefined {
  const given = env[name];
  if (given === undefined || given === '') return;
  if (Number(given) > 0) return Number(given);
  problems.push({ path: '', message: `${name}: must be a number above 0` });
  return;
}
