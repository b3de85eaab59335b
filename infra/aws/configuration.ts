/**
 * The configuration of Poolwright as a part of the settings: whether it can be used, before anything is deployed, and what the stack has to
 * know of it.
 */
import { reconcilers, type TimerName, turnsOf } from '../../functions/catalog.ts';
import { providerOptions } from '../../functions/hosts/common/provider-options.ts';
import { type Config, loadConfig } from '../../shared/config/load.ts';
import { stackOf } from './provider-stacks.ts';
import { isReference, partsOf } from './references.ts';

/** What follows from a configuration for the stack. */
export interface Consequences {
  problems: readonly string[];
  /** Of EKS, as it calls them: their address and version are asked for. */
  eksClusters: readonly string[];
  /** Those of them into which the functions go by their own roles. */
  entryClusters: readonly string[];
  assumeRoleArns: readonly string[];
  /** How often each timer ticks. */
  timerMinutes: Readonly<Record<TimerName, number>>;
}

/** The timers, each with what it does when a configuration says nothing about it. */
const untold = timersOf(undefined);

/** As often as the cluster that wants it most often, in whole minutes: EventBridge has no shorter schedule. */
function timersOf(config: Config | undefined): Record<TimerName, number> {
  const known = config !== undefined && Object.keys(config.clusters).length > 0 ? config : ofOneCluster();
  return Object.fromEntries(
    reconcilers.map((entry) => {
      const wanted = turnsOf(entry, known).map(({ everySeconds }) => everySeconds);
      const seconds = wanted.length === 0 ? entry.usualSeconds : Math.min(...wanted);
      return [entry.every, Math.max(1, Math.floor(seconds / 60))];
    }),
  ) as Record<TimerName, number>;
}

function ofOneCluster(): Config {
  const loaded = loadConfig(undefined, {}, { clusters: { any: { server: 'https://any.example' } } });
  if (!loaded.ok) throw new Error(loaded.text);
  return loaded.config;
}

const headersVariable = 'POOLWRIGHT_METRICS_OTLP_HEADERS';

/** @param variables The environment that the functions will have. */
export function consequencesOf(
  config: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, string>>,
  region: string,
): Consequences {
  // The host reads it by itself; it is no part of the configuration.
  const { POOLWRIGHT_HTTP_TOKEN: _, ...others } = variables;
  const own = Object.entries(others).filter(
    // The text that a reference leads to has a form of its own here, which a text in its place would not have.
    ([name, text]) => name.startsWith('POOLWRIGHT_') && !(name === headersVariable && isReference(text)),
  );
  const followed = withoutReferences({ config, own: Object.fromEntries(own) });
  const source = { name: 'config', text: JSON.stringify(followed.config), folder: '/' };
  const loaded = loadConfig(source, followed.own);
  if (!loaded.ok) {
    // The first line is a heading, and the number of the line is that of a text which nobody has written.
    const lines = loaded.text.split('\n').slice(1);
    const problems = lines.map((line) => line.trim().replace(/^config:\d+: /, 'config: '));
    return { problems, eksClusters: [], entryClusters: [], assumeRoleArns: [], timerMinutes: untold };
  }
  return {
    problems: [...regionProblems(loaded.config, region), ...queueProblems(loaded.config)],
    ...clustersOf(loaded.config),
    timerMinutes: timersOf(loaded.config),
  };
}

function clustersOf({ clusters, providers }: Config): Omit<Consequences, 'problems' | 'timerMinutes'> {
  const joined = Object.values(clusters).flatMap((cluster) =>
    cluster.providers.flatMap((name) => {
      const provider = providers[name];
      const options = providerOptions(provider, cluster) as Readonly<Record<string, unknown>>;
      const eksName = provider && stackOf(provider.type)?.eksCluster?.(options);
      return !provider || eksName === undefined ? [] : [{ eksName, provider, isEntered: cluster.access === 'eks' }];
    }),
  );
  return {
    eksClusters: unique(joined.map(({ eksName }) => eksName)),
    // Who acts in another account is somebody else in the cluster, too.
    entryClusters: unique(
      joined
        .filter(({ isEntered, provider }) => isEntered && provider.roleArn === undefined)
        .map(({ eksName }) => eksName),
    ),
    assumeRoleArns: unique(joined.flatMap(({ provider }) => provider.roleArn ?? [])),
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();

function regionProblems({ clusters, providers }: Config, region: string): string[] {
  const text = `is not the region of the deployment, ${region}. Its permissions and interruption notices cover one region: deploy Poolwright again in the other one`;
  const wrong = (given: string | undefined): boolean => given !== undefined && given !== region;
  return [
    ...Object.entries(providers)
      .filter(([, provider]) => stackOf(provider.type) !== undefined && wrong(provider.region))
      .map(([name]) => `config: providers.${name}.region: ${text}`),
    ...Object.entries(clusters)
      .filter(([, { aws }]) => wrong(aws.region))
      .map(([name]) => `config: clusters.${name}.aws.region: ${text}`),
  ];
}

/** As often does SQS deliver an event before it puts it apart by itself: `EventsQueue` in resources.yml. */
export const eventDeliveries = 20;

const queueProblems = ({ queue: { maxReceives } }: Config): string[] =>
  maxReceives < eventDeliveries
    ? []
    : [
        `config: queue.maxReceives: must be less than ${eventDeliveries} on AWS, because SQS dead-letters a message after ${eventDeliveries} deliveries, without a reason; found ${maxReceives}`,
      ];

/** With texts in their place that could be secrets, each another: what they lead to is not known here. */
function withoutReferences<T>(value: T): T {
  let count = 0;
  const replaced = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'string' || !partsOf(inner).some(isReference)) return inner;
    const parts = partsOf(inner).map((part) => (isReference(part) ? `what-a-reference-leads-to-${++count}` : part));
    return parts.join(',');
  });
  return JSON.parse(replaced);
}
