/**
 * Which cluster the pools are made in. What the cluster says about itself wins over the configuration of the host, and may
 * change while the host runs; and a cluster that can't be asked right now must not keep the host from starting. So the
 * provider is made for a cluster when it is first used there, and again when the cluster gets another name.
 */
import { errorText } from '../../../base/error-text.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { ProviderContext } from '../../context.ts';
import type { Provider } from '../../contract.ts';
import { foundWrong } from '../../findings.ts';
import type { AzureOptions } from '../options.ts';
import type { PoolFacts } from './facts.ts';

export interface ClusterPlace {
  subscription: string;
  resourceGroup: string;
  clusterName: string;
}

type ClosableProvider = Provider & { close(): void };

export interface PlacedProviderOptions {
  options: AzureOptions;
  context: Pick<ProviderContext, 'settings'>;
  /** Loads the code that asks Azure; whoever only wants to know whose a claim is does without. */
  open(place: ClusterPlace): Promise<ClosableProvider>;
  /** What has to be known before that: kinds of node classes, traits, shapes of providerIDs; the place may still lack the cluster. */
  facts(place: Omit<ClusterPlace, 'clusterName'> & Partial<ClusterPlace>): PoolFacts;
  /** Called at the end, after what was built upon it. */
  close(): void;
}

export function placedProvider({ options, context, open, facts, close }: PlacedProviderOptions): ClosableProvider {
  let current: { clusterName: string; facts: PoolFacts; opened: Promise<ClosableProvider> } | undefined;
  const { subscription, resourceGroup } = options;
  const unplaced = facts({ subscription, resourceGroup });
  const closeCurrent = (): void => {
    // What could not be opened needs no closing.
    current?.opened.then((provider) => provider.close()).catch(() => undefined);
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
      current = { clusterName, facts: facts(place), opened: open(place) };
    }
    const { opened } = current;
    try {
      return ok(await opened);
    } catch (error) {
      // It may be there the next time.
      if (current?.opened === opened) current = undefined;
      const cause = errorText(error);
      return failed('unavailable', `the code of provider ${unplaced.name} could not be loaded`, { cause });
    }
  };
  // Azure does not tell names by their case.
  const placeCalled = (clusterName: string): string =>
    [unplaced.name, subscription, resourceGroup, clusterName].join('/').toLowerCase();
  const there = async <T>(act: (provider: ClosableProvider) => Promise<Result<T>>): Promise<Result<T>> => {
    const provider = await at();
    return provider.ok ? act(provider.value) : provider;
  };
  const known = (): PoolFacts => current?.facts ?? unplaced;
  return {
    name: unplaced.name,
    traits: unplaced.traits,
    nodeClasses: unplaced.nodeClasses,
    serves: unplaced.serves,
    expires: unplaced.expires,
    place: async () => {
      const named = await where();
      return named.ok ? ok(placeCalled(named.value)) : named;
    },
    instanceId: (providerID) => known().instanceId(providerID),
    beginCreate: (request, signal) =>
      there(async (provider) => {
        const place = placeCalled(current?.clusterName ?? '');
        if (request.place !== undefined && request.place !== place) return movedOn(place);
        return provider.beginCreate(request, signal);
      }),
    pollCreate: (handle, signal) => there((provider) => provider.pollCreate(handle, signal)),
    beginDelete: (target, signal) => there((provider) => provider.beginDelete(target, signal)),
    pollDelete: (handle, signal) => there((provider) => provider.pollDelete(handle, signal)),
    find: (claim, signal) => there((provider) => provider.find(claim, signal)),
    get: (owner, providerID, signal) => there((provider) => provider.get(owner, providerID, signal)),
    list: (owner, page, signal) => there((provider) => provider.list(owner, page, signal)),
    instanceTypes: (nodeClass, signal) => there((provider) => provider.instanceTypes(nodeClass, signal)),
    resolveNodeClass: (nodeClass, signal) =>
      there(async (provider) => (await provider.resolveNodeClass?.(nodeClass, signal)) ?? noResolver),
    check: async (owner, signal) => {
      const provider = await at();
      if (provider.ok) return (await provider.value.check?.(owner, signal)) ?? [];
      return [
        foundWrong('place', provider.error, 'set the name of the cluster, or look why its settings cannot be read'),
      ];
    },
    quota: (signal) => there(async (provider) => (await provider.quota?.(signal)) ?? ok([])),
    close: () => {
      closeCurrent();
      close();
    },
  };
}

const noName = failed(
  'invalid',
  "the name of the AKS or connected cluster is missing: set clusterName of the provider, AZURE_CLUSTER_NAME, or settings.azure.clusterName in the chart's values",
);
const movedOn = (place: string): Result<never> =>
  failed('not-ready', `agent pools are made at ${place} by now; the claim is looked at again`);
const noResolver = failed('unavailable', 'the node class can not be resolved');
