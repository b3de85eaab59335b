/**
 * A plan by a host: what a command can't know by itself. The operator's API versions, the policy, other requests in its way, the price,
 * and where it is asked for the live checks at Azure. Nothing is created.
 */
import type { JsonObject } from '../../base/json.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { type ClusterPlan, planRequest } from '../plan/plan.ts';
import { type MonthlyPrice, monthlyPrice } from '../price/monthly.ts';
import { type Finding, isError } from '../rules/finding.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import type { StoredRequest } from '../store/contract.ts';
import { lookAhead } from './look-ahead.ts';

export interface HostPlan extends Omit<ClusterPlan, 'monthlyPrice' | 'resolved'> {
  cluster: string;
  /** Null for an invalid request: it costs nothing, because it is refused. */
  monthlyPrice: MonthlyPrice | null;
  /** Whether quota, sizes, versions and names were checked at Azure. */
  checked: boolean;
  /** What was to be asked and did not answer. */
  unanswered: readonly string[];
}

export async function planAt(
  { deployment, clock }: Pick<ClusterRequestServices, 'deployment' | 'clock'>,
  place: RequestPlace,
  object: JsonObject,
  { check }: { check: boolean },
  signal?: AbortSignal,
): Promise<HostPlan> {
  const now = clock.now();
  const unanswered: string[] = [];
  const served = await place.driver.served(signal);
  if (!served.ok) unanswered.push(`${place.name}: ${served.error.message}`);
  const today = toWireTime(now).slice(0, 10);
  const { resolved, ...plan } = planRequest(object, {
    types: place.poolTypes,
    today,
    deployment,
    ...(served.ok ? { served: served.value } : {}),
  });
  const { cluster, refused } = { cluster: place.name, refused: { valid: false, stages: [], monthlyPrice: null } };
  if (resolved === undefined) return { ...plan, ...refused, cluster, checked: false, unanswered };

  const { name, namespace } = resolved;
  const found = await place.store.get({ namespace, name }, signal);
  const known = found.ok ? { stored: found.value, exists: true } : {};
  const ahead = await lookAhead(place, object, now, { signal, ...known });
  const findings = merged(plan.findings, ahead.findings);
  let checked = false;
  if (check && place.preflight === undefined) unanswered.push('this host has no access to Azure for checks');
  if (check && place.preflight !== undefined && !findings.some(isError)) {
    const request = storedLike(object, ahead.request?.spec, now);
    const asked = await place.preflight.check({ request, resolved, served: served.ok ? served.value : {} }, signal);
    if (asked.ok) {
      findings.push(...asked.value.findings);
      unanswered.push(...asked.value.skipped);
    } else unanswered.push(asked.error.message);
    checked = asked.ok && place.preflight.asksAzure;
  }
  if (findings.some(isError)) return { ...plan, ...refused, findings, cluster, checked, unanswered };
  const prices = await place.prices?.(resolved.location, signal);
  const source =
    prices === undefined
      ? { ok: false as const, reason: 'this host has no price list' }
      : prices.ok
        ? { ok: true as const, prices: prices.value }
        : { ok: false as const, reason: prices.error.message };
  return { ...plan, findings, cluster, monthlyPrice: monthlyPrice(resolved, source), checked, unanswered };
}

/** Both judge the rules: a finding is said once. */
function merged(one: readonly Finding[], other: readonly Finding[]): Finding[] {
  const seen = new Set(one.map(keyOf));
  return [...one, ...other.filter((finding) => !seen.has(keyOf(finding)))];
}

const keyOf = ({ code, field, cause }: Finding): string => `${code} ${field} ${cause}`;

/** As it would be stored, for checks that look at names only. */
function storedLike(object: JsonObject, spec: StoredRequest['spec'] | undefined, now: number): StoredRequest {
  const { name, namespace } = object.metadata as { name: string; namespace: string };
  const metadata = { name, namespace, uid: '', resourceVersion: '', creationTimestamp: toWireTime(now) };
  return { apiVersion: '', kind: '', metadata, spec: spec ?? { location: '' } };
}
