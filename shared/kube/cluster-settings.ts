/**
 * What a cluster says about itself: a ConfigMap that the Helm chart writes, one key per setting, named as the value of the
 * chart is (`settings.azure.providerType`). Hosts read it again and again, so `helm upgrade --set` needs no redeploy.
 */
import type { V1ConfigMap } from '@kubernetes/client-node';
import { failed, ok, type Result } from '../base/result.ts';
import type { Clock } from '../base/runtime.ts';
import * as z from '../base/schemas.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { Log } from '../observe/log/log.ts';
import { type ClusterApi, configMaps } from './contract.ts';
import type { Stored } from './stored.ts';

/** The types between which `settings.azure.providerType` chooses; the first serves where nothing names one. */
export const azureTypes = ['aks', 'arc'] as const;

/**
 * The chart's values under `settings` have this shape too; what is absent is as here. A function that starts does not need it before it reads
 * the first ConfigMap, and to make it takes long.
 */
const makeSchema = () =>
  z.object({
    azure: z.prefault(
      z.object({
        /** The managed or connected cluster that agent pools are made in. Empty: as the provider's configuration says. */
        clusterName: z._default(z.string().check(z.maxLength(253)), ''),
        /**
         * Which provider serves claims that both could serve and that don't say. aks: managed clusters in Azure. arc: Azure
         * Local and other clusters that are connected by Arc. Absent: as the host's configuration says.
         */
        providerType: z.optional(
          z.pipe(
            z.enum(['', ...azureTypes], { error: 'must be aks or arc' }),
            z.transform((type) => (type === '' ? undefined : type)),
          ),
        ),
      }),
      {},
    ),
  });

let schema: ReturnType<typeof makeSchema> | undefined;

export function clusterSettingsSchema(): ReturnType<typeof makeSchema> {
  schema ??= makeSchema();
  return schema;
}

export type ClusterSettings = z.infer<ReturnType<typeof makeSchema>>;

export const settingsConfigMap = 'poolwright-settings';
const prefix = 'settings.';

/** Keys that are no setting, and settings of a newer chart, are nobody's mistake. */
export function parseClusterSettings(data: Record<string, string>): Result<ClusterSettings> {
  const parsed = clusterSettingsSchema().safeParse(nested(data));
  if (parsed.success) return ok(parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => {
    const key = `${prefix}${path.join('.')}`;
    return `${key}${data[key] === undefined ? '' : ` is ${JSON.stringify(data[key])}`}: ${message}`;
  });
  return failed('invalid', problems.join('; '));
}

type Tree = { [key: string]: Tree | string };

function nested(data: Record<string, string>): Tree {
  const root: Tree = Object.create(null);
  for (const [key, value] of Object.entries(data)) {
    if (!key.startsWith(prefix)) continue;
    const path = key.slice(prefix.length).split('.');
    const last = path.pop() ?? '';
    let at: Tree | undefined = root;
    for (const part of path) {
      const next: Tree | string | undefined = at[part];
      if (typeof next === 'string') at = undefined;
      else {
        const child: Tree = next ?? Object.create(null);
        at[part] = child;
        at = child;
      }
      if (!at) break;
    }
    if (at) at[last] = value;
  }
  return root;
}

export interface ClusterSettingsSource {
  /**
   * What holds now. A ConfigMap that is not there means the defaults; one that is wrong, or can't be read, means what held
   * before, and a failure when nothing did: a guess could put machines into the wrong place.
   */
  current(signal?: AbortSignal): Promise<Result<ClusterSettings>>;
  /** What is wrong with the ConfigMap as it was last read, in itself or for this deployment. */
  problem(): string | undefined;
}

/** For a cluster that says nothing about itself. */
export const noClusterSettings: ClusterSettingsSource = {
  current: async () => parseClusterSettings({}),
  problem: () => undefined,
};

export interface ClusterSettingsOptions {
  api: ClusterApi;
  clock: Clock;
  log: Log;
  namespace: string;
  name?: string;
  /** The types of the providers that serve the cluster. */
  providerTypes?: readonly string[];
  /** For how long a reading serves. */
  keepSeconds?: number;
}

type StoredConfigMap = Stored<V1ConfigMap>;

export function clusterSettingsSource(options: ClusterSettingsOptions): ClusterSettingsSource {
  const { api, clock, namespace, name = settingsConfigMap, providerTypes = [], keepSeconds = 30 } = options;
  const log = options.log.child({ cluster: api.name });
  let good: ClusterSettings | undefined;
  let problem: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const answer = await api.get<StoredConfigMap>(configMaps, { namespace, name });
    const isAbsent = !answer.ok && answer.error.kind === 'not-found';
    const parsed = answer.ok
      ? parseClusterSettings(answer.value.data ?? {})
      : isAbsent
        ? parseClusterSettings({})
        : answer;
    // A server that does not answer is asked again at the next use.
    if (answer.ok || isAbsent) readAt = clock.monotonic();
    const wrong = parsed.ok ? notConfigured(parsed.value, providerTypes, api.name) : parsed.error.message;
    const found = wrong === undefined ? undefined : `ConfigMap ${namespace}/${name}: ${wrong}`;
    if (found !== undefined && found !== problem) log.write('cluster.settings.unusable', { problem: found });
    problem = found;
    if (!parsed.ok) return;
    if (good && JSON.stringify(good) !== JSON.stringify(parsed.value))
      log.write('cluster.settings.changed', parsed.value);
    good = parsed.value;
  };

  return {
    current: async (signal) => {
      if (clock.monotonic() - readAt >= keepSeconds * 1000) {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        // Others wait for it too: who goes away does not end it for them.
        await (signal === undefined ? reading : untilAborted(reading, signal));
      }
      return good ? ok(good) : failed('not-ready', problem ?? `the settings of cluster ${api.name} are not known yet`);
    },
    problem: () => problem,
  };
}

/** The type that a cluster names must be there. A deployment without Azure has no use for it, and the chart always writes it. */
export function notConfigured(
  { azure: { providerType } }: ClusterSettings,
  providerTypes: readonly string[],
  cluster: string,
): string | undefined {
  if (providerType === undefined || providerTypes.includes(providerType)) return undefined;
  const there = providerTypes.filter((type) => type === 'aks' || type === 'arc');
  if (there.length === 0) return undefined;
  return (
    `settings.azure.providerType is "${providerType}", but cluster ${cluster} has no provider of type ${providerType} in the configuration ` +
    `of this deployment, only ${there.join(', ')}; configure one, or set settings.azure.providerType to ${there.join(' or ')}`
  );
}
