/**
 * What limits machines here, and how much of each is used: the limits of the account, its domain or its project, and what is left in the
 * zones where the account may ask. So a plan and the doctor report what is short before CloudStack does.
 */
import { ok, type Result } from '../../../base/result.ts';
import type { CloudStackClient } from '../../../platforms/cloudstack/client.ts';
import { cloudStackCodes } from '../../../platforms/cloudstack/codes.ts';
import type { Quota } from '../../contract.ts';
import type { ScopeParams } from '../site/scope.ts';

export interface QuotaParts {
  client: Pick<CloudStackClient, 'list'>;
  scope(signal: AbortSignal): Promise<Result<ScopeParams>>;
}

type Limited = Readonly<Record<string, string | number | undefined>>;

/** Fields of accounts, domains and projects alike: what is counted, and in which unit. */
const limited = [
  { what: 'instances', used: 'vmtotal', limit: 'vmlimit', unit: 'instances' },
  { what: 'CPUs', used: 'cputotal', limit: 'cpulimit', unit: 'vCPU' },
  { what: 'memory', used: 'memorytotal', limit: 'memorylimit', unit: 'MiB' },
  { what: 'GPUs', used: 'gputotal', limit: 'gpulimit', unit: 'GPU' },
  { what: 'volumes', used: 'volumetotal', limit: 'volumelimit', unit: 'volumes' },
  { what: 'primary storage', used: 'primarystoragetotal', limit: 'primarystoragelimit', unit: 'GiB' },
] as const;

/** What an administrator can ask of each zone: CloudStack's number of a kind of capacity. */
const capacities: ReadonlyMap<number, { what: string; unit: string; divisor: number }> = new Map([
  [0, { what: 'memory', unit: 'MiB', divisor: 1024 ** 2 }],
  [1, { what: 'CPU', unit: 'MHz', divisor: 1 }],
  [19, { what: 'GPUs', unit: 'GPU', divisor: 1 }],
]);

type Capacity = { type: number; zonename?: string; capacityused?: number; capacitytotal?: number };

export async function readQuota({ client, scope }: QuotaParts, signal: AbortSignal): Promise<Result<Quota[]>> {
  const where = await scope(signal);
  if (!where.ok) return where;
  const { projectid, domainid, account } = where.value;
  const owners =
    projectid === undefined
      ? await Promise.all([
          limitsOf(
            client,
            'account',
            'listAccounts',
            { ...(account === undefined ? {} : { name: account, domainid }) },
            signal,
          ),
          limitsOf(client, 'domain', 'listDomains', domainid === undefined ? {} : { id: domainid }, signal),
        ])
      : [await limitsOf(client, 'project', 'listProjects', { id: projectid }, signal)];
  const [first] = owners;
  // The domain of an account is seldom its own to read; what can be read says enough.
  if (first?.ok === false) return first;
  const zones = await zoneCapacity(client, signal);
  if (!zones.ok) return zones;
  return ok([...owners.flatMap((one) => (one.ok ? one.value : [])), ...zones.value]);
}

async function limitsOf(
  client: QuotaParts['client'],
  kind: 'account' | 'domain' | 'project',
  command: string,
  params: Parameters<CloudStackClient['list']>[1],
  signal: AbortSignal,
): Promise<Result<Quota[]>> {
  const found = await client.list<Limited>(command, params, signal);
  if (!found.ok) return found;
  // Without an id, an administrator sees all of them: whose limits hold is not known then.
  const [one] = found.value;
  if (found.value.length !== 1 || one === undefined) return ok([]);
  const name = `${kind} ${String(one.name ?? '')}`;
  return ok(
    limited.flatMap(({ what, used, limit, unit }): Quota[] => {
      // "Unlimited", or -1.
      const most = Number(one[limit]);
      if (one[limit] === undefined || !Number.isFinite(most) || most < 0) return [];
      return [{ name: `${what} of ${name}`, used: Number(one[used] ?? 0), limit: most, unit, ofAllTypes: true }];
    }),
  );
}

/** Empty where only administrators may ask. */
async function zoneCapacity(client: QuotaParts['client'], signal: AbortSignal): Promise<Result<Quota[]>> {
  const found = await client.list<Capacity>('listCapacity', {}, signal);
  if (!found.ok) return isRefusal(found.error.code) ? ok([]) : found;
  return ok(
    found.value.flatMap(({ type, zonename = '', capacityused = 0, capacitytotal = 0 }): Quota[] => {
      const kind = capacities.get(type);
      if (kind === undefined || capacitytotal <= 0) return [];
      const { what, unit, divisor } = kind;
      const whole = (amount: number): number => Math.floor(amount / divisor);
      return [{ name: `${what} in zone ${zonename}`, used: whole(capacityused), limit: whole(capacitytotal), unit }];
    }),
  );
}

const isRefusal = (code: string | undefined): boolean =>
  code === cloudStackCodes.command || code === cloudStackCodes.account;
