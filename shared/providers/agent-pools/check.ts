/** Whether agent pools could be made right now: who we are at Azure, what that may do at this cluster, and whether our clock is right. */
import * as z from 'zod';
import type { Check } from '../../base/checks.ts';
import type { Result } from '../../base/result.ts';
import type { AzureConnection } from '../../platforms/azure/connection.ts';
import { getFromArm } from '../../platforms/azure/fetch-json.ts';
import { foundLacking, foundWrong, passed } from '../findings.ts';
import type { AgentPools } from './agent-pools.ts';
import { isAllowed, neededActions } from './needed-actions.ts';

export interface CheckParts {
  kind: 'aks' | 'arc';
  connection: AzureConnection;
  /** The ARM id of the cluster. */
  cluster: string;
  pools: Pick<AgentPools, 'list'>;
  /** Reads what is sold. */
  sizes(signal: AbortSignal): Promise<Result<unknown>>;
}

/** Entra ID and ARM forgive about as much. */
const skewMs = 5 * 60_000;

const rightsPage = 'assign the role in docs/azure-rights.md at the scope in the message, and wait a few minutes';

const tokenSchema = z.object({
  appid: z.string().optional(),
  azp: z.string().optional(),
  oid: z.string().optional(),
  tid: z.string().optional(),
});
const permissionsSchema = z.object({
  value: z.array(z.object({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) })),
});

export async function checkAzure(parts: CheckParts, signal: AbortSignal): Promise<Check[]> {
  const { connection } = parts;
  const token = await connection.credential.token(`${connection.options.cloud.audience}/.default`, signal);
  if (!token.ok) {
    return [foundWrong('credentials', token.error, 'check credential, tenant and clientId of the provider')];
  }
  const who = passed('credentials', whoIs(token.value.token));
  const [listed, sizes, writes] = await Promise.all([
    parts.pools.list(undefined, signal),
    parts.sizes(signal),
    writeChecks(parts, signal),
  ]);
  return [
    who,
    listed.ok
      ? passed('agent pools', `they can be listed in ${parts.cluster}`)
      : foundWrong('agent pools', listed.error, rightsPage),
    sizes.ok ? passed('sizes', 'the offerings can be read') : foundWrong('sizes', sizes.error, rightsPage),
    ...writes,
  ];
}

/** Names, no proof: whoever has them can do nothing with them. */
function whoIs(token: string): string {
  try {
    const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    const { appid, azp, oid, tid } = tokenSchema.parse(JSON.parse(text));
    return `app ${appid ?? azp ?? 'unknown'}, object ${oid ?? 'unknown'}, tenant ${tid ?? 'unknown'}`;
  } catch {
    return 'a token was issued, but it does not name the identity';
  }
}

/** ARM tells what the caller may do at a resource, if he may ask. */
async function writeChecks({ kind, connection, cluster }: CheckParts, signal: AbortSignal): Promise<Check[]> {
  const url = `${connection.options.cloud.armEndpoint}${cluster}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`;
  const answer = await getFromArm(connection, url, signal);
  if (!answer.ok) return [foundLacking('rights', answer.error, 'check that this machine can reach ARM')];
  const { status, headers, body } = answer.value;
  const clock = clockCheck(headers.date, connection.clock.now());
  const parsed = permissionsSchema.safeParse(body);
  const needed = neededActions[kind];
  if (status !== 200 || !parsed.success) {
    const message = `not checked, because ARM does not report them without Microsoft.Authorization/permissions/read: ${needed.join(', ')}`;
    return [...clock, passed('rights', message)];
  }
  const missing = needed.filter((action) => !isAllowed(action, parsed.data.value));
  if (missing.length === 0) return [...clock, passed('rights', `${needed.join(' and ')} are granted`)];
  return [
    ...clock,
    ...missing.map((action) => ({
      name: `right ${action}`,
      state: 'fail' as const,
      message: `the identity lacks the permission ${action} at ${cluster}`,
      code: 'Unauthorized',
      repair: rightsPage,
    })),
  ];
}

function clockCheck(date: string | undefined, now: number): Check[] {
  const theirs = Date.parse(date ?? '');
  const off = Math.abs(theirs - now);
  if (Number.isNaN(theirs) || off < skewMs) return [];
  const message = `the clocks of this machine and of ARM differ by ${Math.round(off / 60_000)} minutes, so ARM refuses tokens`;
  return [{ name: 'clock', state: 'warn', message, repair: 'synchronize the clock of this machine (NTP)' }];
}
