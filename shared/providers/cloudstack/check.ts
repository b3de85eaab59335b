/**
 * Whether the provider could work: which server answers, who the account is there, which commands it may call, and which limits are
 * nearly used up. It only reads.
 */
import type { Check } from '../../base/checks.ts';
import { asObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Failure, Result } from '../../base/result.ts';
import { cloudStackCodes } from '../../platforms/cloudstack/codes.ts';
import { itemsIn } from '../../platforms/cloudstack/envelope.ts';
import { foundLacking, foundWrong, passed } from '../findings.ts';
import { readQuota } from './catalog/quota.ts';
import { type NeededCommand, neededCommands } from './commands.ts';
import type { CloudStackParts } from './parts.ts';

type CheckedParts = Pick<CloudStackParts, 'client' | 'scope' | 'options'>;

const roleText = 'docs/cloudstack-rights.md has a role with all of them';
/** A skew that signatures survive is still a mistake of a clock. */
const noticedSkewMs = 60_000;
/** From here on it is worth telling. */
const nearlyUsed = 0.9;

/** What mends each of the problems that has a name. */
const repairs: Readonly<Record<string, string>> = {
  [cloudStackCodes.credentials]: 'create an API key for the user, and give key and secret key to the provider',
  [cloudStackCodes.clockSkew]: 'synchronize the clocks (NTP)',
  [cloudStackCodes.tls]: 'give the PEM of the authority as certificateAuthority, or renew the certificate',
  [cloudStackCodes.notCloudStack]: 'correct apiUrl: it ends in /client/api',
  [cloudStackCodes.unreachable]: 'check apiUrl, the network and the proxy',
};

export async function checkCloudStack(parts: CheckedParts, signal: AbortSignal): Promise<Check[]> {
  const { client } = parts;
  const where = await client.account(signal);
  if (!where.ok) return [named('credentials', where.error)];
  const capabilities = await client.call<JsonObject>('listCapabilities', {}, signal);
  // Whoever may not call this has been recognized all the same.
  if (!capabilities.ok && capabilities.error.code !== cloudStackCodes.command) {
    return [named('credentials', capabilities.error)];
  }
  const [apis, scope, quota] = await Promise.all([
    client.call<JsonObject>('listApis', {}, signal),
    parts.scope(signal),
    readQuota(parts, signal),
  ]);
  const version = versionOf(capabilities);
  return [
    passed('endpoint', `${where.value.endpoint}, CloudStack ${version ?? 'of an unknown version'}`),
    await whoChecks(parts, signal),
    ...(scope.ok ? [] : [named('scope', scope.error)]),
    ...commandChecks(apis),
    ...(quota.ok ? quotaChecks(quota.value) : []),
    ...expungeChecks(parts, capabilities),
    ...transportChecks(parts, where.value.endpoint),
  ];
}

async function whoChecks({ client }: CheckedParts, signal: AbortSignal): Promise<Check> {
  const found = await client.list<JsonObject>('listAccounts', {}, signal);
  const [one] = found.ok && found.value.length === 1 ? found.value : [];
  if (one === undefined)
    return passed('credentials', 'the API key is accepted; the account has no right to say who it is');
  const role = typeof one.rolename === 'string' ? `, role ${one.rolename}` : '';
  return passed(
    'credentials',
    `${String(one.name)} in domain ${String(one.domainpath ?? one.domain ?? 'unknown')}${role}`,
  );
}

function commandChecks(apis: Result<JsonObject>): Check[] {
  if (!apis.ok) {
    const failure = {
      ...apis.error,
      message: 'which commands the account may call is not known: it may not call listApis',
    };
    const isRefusal = apis.error.code === cloudStackCodes.command;
    return [foundLacking('commands', isRefusal ? failure : apis.error, 'allow listApis in the role of the account')];
  }
  const allowed = new Set(itemsIn<JsonObject>(apis.value).map(({ name }) => String(name).toLowerCase()));
  const absent = neededCommands.filter(({ command }) => !allowed.has(command.toLowerCase()));
  const needed = absent.filter(({ optional }) => optional !== true);
  const wrong = needed.map(
    (one): Check => ({
      name: `command ${one.command}`,
      state: 'fail',
      message: `the role of the account does not allow ${one.command}, which ${one.why}`,
      code: cloudStackCodes.command,
      repair: `allow it in the role; ${roleText}`,
    }),
  );
  if (wrong.length > 0) return wrong;
  const rest = absent.filter((one) => one.optional);
  const without =
    rest.length === 0 ? '' : `; not allowed, and only needed for what it does: ${rest.map(tell).join(', ')}`;
  return [passed('commands', `all ${neededCommands.length - rest.length} that are needed are allowed${without}`)];
}

const tell = ({ command, why }: NeededCommand): string => `${command} (${why})`;

function quotaChecks(quota: readonly { name: string; used: number; limit: number; unit: string }[]): Check[] {
  const short = quota.filter(({ used, limit }) => used >= limit * nearlyUsed);
  if (short.length === 0) {
    return [
      passed('limits', quota.length === 0 ? 'no limit is known' : `none of ${quota.length} limits is nearly used up`),
    ];
  }
  return short.map(
    ({ name, used, limit, unit }): Check => ({
      name: `limit ${name}`,
      state: 'warn',
      message: `${used} of ${limit} ${unit} are used`,
      code: cloudStackCodes.quota,
      repair: 'ask an administrator for a higher limit, or delete what is not needed',
    }),
  );
}

/** Deletes work all the same, but what is deleted is not gone at once. */
function expungeChecks({ options }: CheckedParts, capabilities: Result<JsonObject>): Check[] {
  if (!options.expunge || capabilityOf(capabilities, 'allowuserexpungerecovervm') !== false) return [];
  const message =
    'the account may not expunge: a deleted VM counts as gone in state Destroyed, and its volumes count against the limits ' +
    'until CloudStack removes them after expunge.delay';
  return [passed('expunge', message)];
}

function transportChecks({ client, options }: CheckedParts, endpoint: string): Check[] {
  const checks: Check[] = [];
  if (!options.verifySSL) {
    checks.push({
      name: 'tls',
      state: 'warn',
      message: 'the certificate of CloudStack is not checked, so anyone on the way could pose as it',
      code: cloudStackCodes.tls,
      repair: 'remove verifySSL: false, and give the PEM of a private authority as certificateAuthority',
    });
  } else if (endpoint.startsWith('http:')) {
    checks.push({
      name: 'tls',
      state: 'warn',
      message: 'the API is called without TLS; requests are signed, but anyone on the way can read user data',
      code: cloudStackCodes.tls,
      repair: 'use an https:// URL',
    });
  }
  if (Math.abs(client.skewMs) >= noticedSkewMs) {
    checks.push({
      name: 'clock',
      state: 'warn',
      message: `the clock of CloudStack differs by ${Math.round(client.skewMs / 1000)} s; requests are signed by its time`,
      code: cloudStackCodes.clockSkew,
      repair: repairs[cloudStackCodes.clockSkew] ?? '',
    });
  }
  return checks;
}

function versionOf(capabilities: Result<JsonObject>): string | undefined {
  const version = capabilityOf(capabilities, 'cloudstackversion');
  return typeof version === 'string' ? version : undefined;
}

const capabilityOf = (capabilities: Result<JsonObject>, name: string): Json | undefined =>
  capabilities.ok ? asObject(capabilities.value.capability)?.[name] : undefined;

/** Under its own code, where it has one. */
function named(name: string, failure: Failure): Check {
  const { code = '', reason = code } = failure;
  const check = foundWrong(name, failure, repairs[reason] ?? 'see the message');
  return repairs[reason] === undefined && failure.reason === undefined ? check : { ...check, code: reason };
}
