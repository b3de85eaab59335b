/** Whether one provider could work right now, for each cluster that it serves or for one of them. */
import type { Check } from '../../../shared/base/checks.ts';
import { didYouMean } from '../../../shared/base/nearest.ts';
import { quoteInput } from '../../../shared/base/problems.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import type { Provider, Quota } from '../../../shared/providers/contract.ts';
import type { FunctionServices } from '../../declaration.ts';

export interface CheckProviderInput {
  provider: string;
  cluster?: string;
}

export interface CheckProviderOutput {
  checks: Check[];
}

/** Where less than this is left of a quota, somebody should know before a claim does. */
const scarce = 0.1;

/** Nobody has ever asked for these sizes: clouds give most families so to everybody, and who wants one hears of it. */
const isUnasked = ({ used, limit, instanceTypes }: Quota): boolean =>
  limit === 0 && used === 0 && instanceTypes !== undefined;

export async function answerCheckProvider(
  services: FunctionServices,
  { provider: name, cluster: wanted }: CheckProviderInput,
  signal: AbortSignal,
): Promise<Result<CheckProviderOutput>> {
  const serving = services.clusters.flatMap((cluster) => {
    const provider = cluster.providers.find((one) => one.name === name);
    return provider === undefined ? [] : [{ cluster, provider }];
  });
  const chosen = serving.filter(({ cluster }) => wanted === undefined || cluster.name === wanted);
  if (chosen.length === 0) {
    const known = serving.map(({ cluster }) => cluster.name);
    const which = wanted === undefined ? 'no cluster' : `not cluster ${quoteInput(wanted)}`;
    return failed('not-found', `provider ${quoteInput(name)} serves ${which}${didYouMean(wanted ?? '', known)}`);
  }
  const checks = await Promise.all(chosen.map((one) => checksOf(services, one.cluster, one.provider, signal)));
  return ok({ checks: checks.flat() });
}

async function checksOf(
  services: FunctionServices,
  cluster: ClusterServices,
  provider: Provider,
  signal: AbortSignal,
): Promise<Check[]> {
  const here = (what: string): string => `provider ${provider.name} for cluster ${cluster.name}: ${what}`;
  const identity = await cluster.identity();
  if (!identity.ok) {
    const message = `not checked, because the cluster can't be identified: ${identity.error.message}`;
    return [{ name: here('provider'), state: 'warn', message, code: 'ClusterUnavailable' }];
  }
  const owner = { deployment: services.deployment, cluster: identity.value };
  const [checks, quota] = await Promise.all([provider.check?.(owner, signal), provider.quota?.(signal)]);
  return [...(checks ?? []), ...(quota === undefined ? [] : quotaChecks(quota))].map((check) => ({
    ...check,
    name: here(check.name),
  }));
}

function quotaChecks(quota: Result<Quota[]>): Check[] {
  const name = 'quota';
  if (!quota.ok) return [{ name, state: 'warn', message: `not checked: ${quota.error.message}` }];
  const asked = quota.value.filter((one) => !isUnasked(one));
  const short = asked.filter(({ used, limit }) => limit - used <= limit * scarce);
  if (short.length === 0) {
    const unasked = quota.value.length - asked.length;
    const rest = unasked === 0 ? '' : `; ${unasked} have a limit of 0, for sizes that the account cannot use yet`;
    const message =
      quota.value.length === 0
        ? 'the cloud reports no limits'
        : `${asked.length === 1 ? '1 limit, which is not' : `${asked.length} limits, none of them`} near${rest}`;
    return [{ name, state: 'pass', message }];
  }
  return short.map(({ name: limited, used, limit, unit }) => ({
    name: `${name} ${limited}`,
    state: 'warn' as const,
    message: `${used} of ${limit} ${unit} are used${used >= limit ? '; no more are available' : ''}`,
    code: 'QuotaExceeded',
    repair: `request a higher limit for ${limited}, or delete resources that you do not need`,
  }));
}
