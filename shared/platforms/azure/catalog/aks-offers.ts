/** Where AKS is, which versions of Kubernetes it offers there, and which resource providers a subscription has registered. */
import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { type FetchJson, fetchPages } from './pages.ts';

export interface SubscriptionRef {
  /** Of ARM, such as `https://management.azure.com`. */
  endpoint: string;
  subscriptionId: string;
}

/** `West Europe` and `westeurope` are one location. */
const plain = (location: string): string => location.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

export interface AksVersion {
  /** Like `1.35`. */
  minor: string;
  /** Like `1.35.2`. */
  patches: readonly string[];
  preview?: true;
  supportPlans: readonly string[];
}

const locationSchema = z.object({
  name: z.string(),
  metadata: z.object({ regionType: z.string().nullish() }).nullish(),
});

const providerSchema = z.object({
  namespace: z.string(),
  registrationState: z.string().nullish(),
  resourceTypes: z.array(z.object({ resourceType: z.string(), locations: z.array(z.string()) })).nullish(),
});

const versionsSchema = z.object({
  values: z.array(
    z.object({
      version: z.string(),
      isPreview: z.boolean().nullish(),
      capabilities: z.object({ supportPlan: z.array(z.string()).nullish() }).nullish(),
      patchVersions: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});

/** Locations that are places (and not groups of them), and in which AKS is offered. */
export async function readAksLocations(
  fetchJson: FetchJson,
  { endpoint, subscriptionId }: SubscriptionRef,
  signal: AbortSignal,
): Promise<Result<string[]>> {
  const here = `${endpoint}/subscriptions/${subscriptionId}`;
  const provider = await fetchJson(`${here}/providers/Microsoft.ContainerService?api-version=2021-04-01`, signal);
  if (!provider.ok) return provider;
  const parsed = providerSchema.safeParse(provider.value);
  const types = parsed.success ? (parsed.data.resourceTypes ?? []) : [];
  const offered = types.find(({ resourceType }) => resourceType.toLowerCase() === 'managedclusters')?.locations;
  if (offered === undefined) return notUnderstood('the provider Microsoft.ContainerService');
  const withAks = new Set(offered.map(plain));
  const physical: string[] = [];
  const read = await fetchPages(
    fetchJson,
    { url: `${here}/locations?api-version=2022-12-01`, items: 'value', next: 'nextLink' },
    (item) => {
      const one = locationSchema.safeParse(item);
      if (one.success && (one.data.metadata?.regionType ?? 'Physical') === 'Physical') physical.push(one.data.name);
    },
    signal,
  );
  return read.ok ? ok(physical.filter((name) => withAks.has(plain(name))).toSorted()) : read;
}

/** `Registered`, `NotRegistered` and the states between, by the name of the provider in lower case. */
export async function readRegistrations(
  fetchJson: FetchJson,
  { endpoint, subscriptionId }: SubscriptionRef,
  signal: AbortSignal,
): Promise<Result<{ [provider: string]: string }>> {
  const states: { [provider: string]: string } = {};
  const url = `${endpoint}/subscriptions/${subscriptionId}/providers?api-version=2021-04-01`;
  const read = await fetchPages(
    fetchJson,
    { url, items: 'value', next: 'nextLink' },
    (item) => {
      const one = providerSchema.safeParse(item);
      if (one.success) states[one.data.namespace.toLowerCase()] = one.data.registrationState ?? 'Unknown';
    },
    signal,
  );
  return read.ok ? ok(states) : read;
}

export async function readKubernetesVersions(
  fetchJson: FetchJson,
  { endpoint, subscriptionId, location }: SubscriptionRef & { location: string },
  signal: AbortSignal,
): Promise<Result<AksVersion[]>> {
  const path = `/subscriptions/${subscriptionId}/providers/Microsoft.ContainerService/locations/${location}/kubernetesVersions`;
  const answer = await fetchJson(`${endpoint}${path}?api-version=2025-08-01`, signal);
  if (!answer.ok) return answer;
  const parsed = versionsSchema.safeParse(answer.value);
  if (!parsed.success) return notUnderstood(`the Kubernetes versions in ${location}`);
  return ok(
    parsed.data.values.map(({ version, isPreview, capabilities, patchVersions }) => ({
      minor: version,
      patches: Object.keys(patchVersions ?? {}),
      supportPlans: capabilities?.supportPlan ?? [],
      ...defined({ preview: isPreview ? (true as const) : undefined }),
    })),
  );
}

export interface FoundResource {
  location: string;
  tags: Readonly<Record<string, string>>;
}

const resourceSchema = z.object({
  location: z.string(),
  tags: z.record(z.string(), z.string()).nullish(),
});

/** What is there under an ARM id; undefined if nothing is. */
export async function readResource(
  fetchJson: FetchJson,
  url: string,
  signal: AbortSignal,
): Promise<Result<FoundResource | undefined>> {
  const answer: Result<Json> = await fetchJson(url, signal);
  if (!answer.ok) return answer.error.kind === 'not-found' ? ok(undefined) : answer;
  const parsed = resourceSchema.safeParse(answer.value);
  if (!parsed.success) return notUnderstood('the resource');
  return ok({ location: plain(parsed.data.location), tags: parsed.data.tags ?? {} });
}

const notUnderstood = (what: string): Result<never> =>
  failed('unavailable', `the answer of Azure about ${what} is not understood`);
