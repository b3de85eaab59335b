/** How the stand-in for Azure Service Operator and its Azure behave when nothing goes wrong. Seconds may be fractions. */
import { z } from 'zod';

const seconds = z.number().min(0).max(1_000_000);

const durations = z.strictObject({
  group: seconds,
  identity: seconds,
  cluster: seconds,
  pool: seconds,
  extension: seconds,
  configuration: seconds,
  /** Everything else: roles, credentials, networks. */
  small: seconds,
  /** Of a change to what is there already. */
  update: seconds,
  delete: seconds,
});

const retries = z.strictObject({
  /** The first pause and the longest, which doubling reaches. */
  fast: z.tuple([seconds, seconds]),
  slow: z.tuple([seconds, seconds]),
  /** The drift resync; also the pause of those who sleep. */
  syncSeconds: seconds,
  /** How often a running PUT is asked for: the first pause and the longest. */
  poll: z.tuple([seconds, seconds]),
});

const shape = {
  durations: durations.partial(),
  retries: retries.partial(),
  /** From a cluster that is Ready until its node auto-provisioning serves its kinds; null is never. */
  provisioningSeconds: seconds.nullable(),
  /** From the API server of a new cluster until its system nodes are Ready. */
  nodesSeconds: seconds,
  /** From a node class, a pool or a source of Flux until its conditions say Ready. */
  conditionSeconds: seconds,
  /** Versions that AKS offers here; without it, any. */
  versions: z.array(z.string()),
  /** Locations that have AKS; without it, any. */
  locations: z.array(z.string()),
  subscription: z.string(),
  tenant: z.string(),
  /** Whether the operator has a credential of its own, for namespaces without one. */
  globalCredential: z.boolean(),
};
export const asoSettingsSchema = z.strictObject(shape).partial();
export type AsoSettingsInput = z.input<typeof asoSettingsSchema>;

export interface AsoSettings {
  durations: z.infer<typeof durations>;
  retries: z.infer<typeof retries>;
  provisioningSeconds: number | null;
  nodesSeconds: number;
  conditionSeconds: number;
  versions: readonly string[] | undefined;
  locations: readonly string[] | undefined;
  subscription: string;
  tenant: string;
  globalCredential: boolean;
}

export const operatorSubscription = '11111111-1111-4111-8111-111111111111';
const operatorTenant = '22222222-2222-4222-8222-222222222222';

/** As Azure and the operator usually take, in their own seconds. */
const usual: AsoSettings = {
  durations: {
    group: 2,
    identity: 5,
    cluster: 300,
    pool: 180,
    extension: 240,
    configuration: 60,
    small: 3,
    update: 60,
    delete: 300,
  },
  retries: { fast: [1, 30], slow: [1, 180], syncSeconds: 3600, poll: [1, 60] },
  provisioningSeconds: 20,
  nodesSeconds: 20,
  conditionSeconds: 2,
  versions: undefined,
  locations: undefined,
  subscription: operatorSubscription,
  tenant: operatorTenant,
  globalCredential: true,
};

const none = 0;
/** Everything at once: what is measured is then not the operator. */
export const instantly: AsoSettingsInput = {
  durations: {
    group: none,
    identity: none,
    cluster: none,
    pool: none,
    extension: none,
    configuration: none,
    small: none,
    update: none,
    delete: none,
  },
  retries: { fast: [0.05, 0.2], slow: [0.05, 0.5] },
  provisioningSeconds: 0,
  nodesSeconds: 0,
  conditionSeconds: 0,
};

/** As long as one likes to watch: a cluster takes seconds and not minutes. */
export const watchable: AsoSettingsInput = {
  durations: {
    group: 0.3,
    identity: 0.4,
    cluster: 3,
    pool: 1.5,
    extension: 1.5,
    configuration: 1,
    small: 0.3,
    update: 1,
    delete: 1,
  },
  retries: { fast: [0.2, 2], slow: [0.5, 5], poll: [0.2, 1] },
  provisioningSeconds: 0.8,
  nodesSeconds: 0.5,
  conditionSeconds: 0.3,
};

export function asoSettings(given: AsoSettingsInput = {}): AsoSettings {
  const { durations: ownDurations, retries: ownRetries, ...rest } = asoSettingsSchema.parse(given);
  const own = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...usual,
    ...own,
    durations: { ...usual.durations, ...withoutUndefined(ownDurations) },
    retries: { ...usual.retries, ...withoutUndefined(ownRetries) },
  };
}

const withoutUndefined = <T extends object>(given: T | undefined): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
