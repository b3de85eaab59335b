/**
 * Where machines are made: the server, the account there, and for whom. The account is told by its id, so that a rotated key is the same
 * place, and credentials of another account are another one.
 */
import type { JsonObject } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { cloudStackCodes } from '../../../platforms/cloudstack/codes.ts';
import type { Lookups } from '../../calls/lookups.ts';
import type { CloudStackOptions } from '../options.ts';

export interface PlaceParts {
  client: Pick<CloudStackClient, 'account' | 'list'>;
  lookups: Lookups;
  options: Pick<CloudStackOptions, 'project' | 'domain' | 'account'>;
}

/** Of one key it never changes. */
const freshSeconds = 30 * 86_400;

export async function placeOf({ client, lookups, options }: PlaceParts, signal: AbortSignal): Promise<Result<string>> {
  const caller = await client.account(signal);
  if (!caller.ok) return caller;
  const { endpoint, account } = caller.value;
  const read = async (inner: AbortSignal): Promise<Result<string>> => {
    const found = await client.list<JsonObject>('listAccounts', {}, inner);
    // An account that may not ask who it is has one place: its server.
    if (!found.ok) return found.error.code === cloudStackCodes.command ? ok('') : found;
    const [one] = found.value.length === 1 ? found.value : [];
    return ok(typeof one?.id === 'string' ? one.id : '');
  };
  const id = await lookups.ask('account', { account }, freshSeconds, read, signal);
  if (!id.ok) return id;
  const { project, domain, account: owner } = options;
  return ok([new URL(endpoint).host, id.value, project, domain, owner].filter(Boolean).join('/'));
}
