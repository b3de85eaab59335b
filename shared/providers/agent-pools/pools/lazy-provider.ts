/**
 * Which cluster the pools are made in. What the cluster says about itself wins over the configuration of the host, and may
 * change while the host runs; and a cluster that can't be asked right now must not keep the host from starting. So the
 * provider is made for a cluster when it is first used there, and again when the cluster gets another name.
 */
import { failed, ok, type Result } from '../../../base/result.ts';
import type { ProviderContext } from '../../context.ts';
import type { Provider } from '../../contract.ts';
import { foundWrong } from '../../findings.ts';
import { type ClosableProvider, loadOnce } from '../../lazy.ts';
import { callOn, type Intercept, type Known, type OptionalMethods, wrapProvider } from '../../wrap.ts';
import type { AzureOptions } from '../options.ts';
import type { PoolFacts } from './facts.ts';

export interface ClusterCoordinates {
  subscription: string;
  resourceGroup: string;
  clusterName: string;
}

export interface LazyPoolProviderOptions {
  options: AzureOptions;
  context: Pick<ProviderContext, 'settings'>;
  /** Loads the code that asks Azure; whoever only wants to know whose a claim is does without. */
  open(place: ClusterCoordinates): Promise<ClosableProvider>;
  /** What has to be known before that: kinds of node classes, traits, shapes of providerIDs; the place may still lack the cluster. */
  facts(place: Omit<ClusterCoordinates, 'clusterName'> & Partial<ClusterCoordinates>): PoolFacts;
  /** Called at the end, after what was built upon it. */
  close(): void;
}

export function lazyPoolProvider({ options, context, open, facts, close }: LazyPoolProviderOptions): ClosableProvider {
  const { subscription, resourceGroup } = options;
  const unplaced = facts({ subscription, resourceGroup });
  let current:
    | { clusterName: string; facts: PoolFacts; code: ReturnType<typeof loadOnce<ClosableProvider>> }
    | undefined;
  const closeCurrent = (): void => {
    current?.code.close();
    current = undefined;
  };
  const where = async (): Promise<Result<string>> => {
    const settings = await context.settings.current();
    // Pools in the wrong cluster are worse than none for a while.
    if (!settings.ok) return settings;
    const clusterName = settings.value.azure.clusterName || options.clusterName;
    return clusterName === undefined ? noName : ok(clusterName);
  };
  const at = async (): Promise<Result<ClosableProvider>> => {
    const named = await where();
    if (!named.ok) return named;
    const clusterName = named.value;
    if (current?.clusterName !== clusterName) {
      closeCurrent();
      const place = { subscription, resourceGroup, clusterName };
      current = { clusterName, facts: facts(place), code: loadOnce(unplaced.name, () => open(place)) };
    }
    return current.code.open();
  };
  // Azure does not tell names by their case.
  const placeCalled = (clusterName: string): string =>
    [unplaced.name, subscription, resourceGroup, clusterName].join('/').toLowerCase();
  const place = async (): Promise<Result<string>> => {
    const named = await where();
    return named.ok ? ok(placeCalled(named.value)) : named;
  };
  const intercept: Intercept = async (method, values) => {
    if (method === 'place') return place();
    const opened = await at();
    if (!opened.ok) return method === 'check' ? [foundWrong('place', opened.error, repair)] : opened;
    if (method === 'beginCreate') {
      const here = placeCalled(current?.clusterName ?? '');
      const [request] = values as Parameters<Provider['beginCreate']>;
      if (request.place !== undefined && request.place !== here) return movedOn(here);
    }
    return callOn(opened.value, method, values);
  };
  // Whom it serves does not depend on the place; which providerIDs are of its machines does.
  const known: Known = (fact) => (fact === 'instanceIds' && current ? current.facts : unplaced)[fact];
  return Object.assign(wrapProvider(known, has, intercept), {
    close: () => {
      closeCurrent();
      close();
    },
  });
}

/** What every provider of agent pools has. */
const has = {
  place: true,
  roomToCreate: false,
  resolveNodeClass: true,
  check: true,
  quota: true,
  adopt: false,
  tidy: false,
} satisfies OptionalMethods;

const repair = 'set the name of the cluster, or check why its settings cannot be read';
const noName = failed(
  'invalid',
  "the name of the AKS or connected cluster is missing: set clusterName of the provider, AZURE_CLUSTER_NAME, or settings.azure.clusterName in the chart's values",
);
const movedOn = (place: string): Result<never> =>
  failed('not-ready', `agent pools are now created at ${place}; the claim retries`);
