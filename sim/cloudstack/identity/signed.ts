/** Who sends a request, by its key and signature; in the order in which the management server looks. */
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../shared/base/runtime.ts';
import { signatureOf } from '../../../shared/platforms/cloudstack/signature.ts';
import type { CloudStackSettings } from '../settings.ts';
import type { Account, Site } from '../site/types.ts';
import type { Fields } from '../wire/fields.ts';
import { Refused, unauthorized } from '../wire/refusals.ts';

const longestMs = 15 * 60_000;

interface Checks {
  site: Site;
  settings: CloudStackSettings;
  clock: Clock;
  /** Throws when the account has asked for too much, or may not have this command. */
  mayCall: (account: Account, command: string) => void;
}

/**
 * Throws what the caller is told: never which of its parts is wrong. Limit and role come before the signature, as
 * CloudStack has it.
 */
export function callerOf(fields: Fields, command: string, { site, settings, clock, mayCall }: Checks): Account {
  const find = (name: string) => Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1];
  const signature = find('signature');
  const apiKey = find('apikey');
  if (signature === undefined || apiKey === undefined) throw unauthorized();
  if (find('signatureversion') === '3') {
    const expires = instantOf(find('expires') ?? '');
    if (expires === undefined || expires < clock.now()) throw unauthorized();
    if (settings.enforcePost && expires > clock.now() + longestMs) throw unauthorized();
  } else if (settings.enforcePost) throw unauthorized();
  const account = [...site.accounts.values()].find((one) => one.apiKey === apiKey);
  if (account === undefined) throw unauthorized();
  mayCall(account, command);
  const signed = Object.fromEntries(Object.entries(fields).filter(([name]) => name.toLowerCase() !== 'signature'));
  if (!same(signature, signatureOf(signed, account.secretKey))) throw unauthorized();
  return account;
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** ISO 8601 with an offset: `Z`, `+0000` or `+00:00`. */
function instantOf(text: string): number | undefined {
  const [, moment, sign] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(Z|[+-]\d\d:?\d\d)$/.exec(text) ?? [];
  if (moment === undefined || sign === undefined) return undefined;
  const offset = sign === 'Z' ? sign : `${sign.slice(0, 3)}:${sign.slice(-2)}`;
  const at = Date.parse(`${moment}${offset}`);
  return Number.isNaN(at) ? undefined : at;
}

/** What may be asked for by GET where POST is enforced. */
export const onlyReads = (command: string): boolean => /^(get|list|query|find)/.test(command);

export const refusedCommand = (code: 401 | 432, command: string): Refused =>
  new Refused(code, `The given command '${command}' either does not exist, is not available for user.`);
