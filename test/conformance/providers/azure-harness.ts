/** The providers of agent pools with their real clients, before a stand-in for Azure with a clock that is moved by hand. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { ok } from '../../../shared/base/result.ts';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import type { OfferingRef } from '../../../shared/nodes/claims/choice/offerings.ts';
import type { NodeSummary, ProviderContext } from '../../../shared/providers/context.ts';
import type { Provider } from '../../../shared/providers/contract.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';
import { defaultSizes } from '../../../sim/azure/catalog/sizes.ts';
import type { AzureCluster, AzureClusterOptions, ClusterKind } from '../../../sim/azure/clusters.ts';
import type { AzureSettings } from '../../../sim/azure/settings.ts';
import { type Azure, type AzureOptions, startAzure } from '../../../sim/azure/start.ts';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import { nodeShelf } from '../../sim/azure/stand-in.ts';
import { testContext } from '../../stand-ins/provider-context.ts';
import type { Injection, ProviderHarness, ProviderUnderTest } from './harness.ts';
import { value } from './requests.ts';

/** Made once: keys take their time. */
const certificate = selfSigned('stand-in');

const createSeconds = 30;
const deleteSeconds = 15;

export interface AzureHarness extends ProviderHarness {
  kind: ClusterKind;
  azure: Azure;
  cluster: AzureCluster;
  clock: ReturnType<typeof manualClock>;
  shelf: ReturnType<typeof nodeShelf>;
  context: ProviderContext;
  /** For a registry, or for another host. */
  options: Json;
}

export const azureUnderTest = (kind: ClusterKind): ProviderUnderTest => ({
  idempotency: 'claim-name',
  injections: [
    'lose-answer',
    'lose-request',
    'late-effect',
    'hold',
    'throttle',
    'conflict',
    'sold-out',
    'quota',
    'unauthorised',
    'server-error',
    'garble',
    // Azure tells what is sold out to whoever asks for it; on Arc there is no list of it at all.
    'shut-down',
  ],
  start: () => startAzureHarness(kind),
});

export interface AzureWorldOptions {
  settings?: Partial<AzureSettings>;
  cluster?: Partial<AzureClusterOptions>;
  principals?: AzureOptions['principals'];
}

export async function startAzureHarness(
  kind: ClusterKind,
  { settings, cluster: more, principals }: AzureWorldOptions = {},
): Promise<AzureHarness> {
  const clusterName = `${kind}-with-hyphens`;
  const clock = manualClock();
  const shelf = nodeShelf();
  const azure = await startAzure({
    clock,
    ids: countingIds(),
    wakeByItself: false,
    certificate,
    kubelet: shelf,
    ...defined({ principals }),
    clusters: [{ kind, name: clusterName, ...more }],
    sizes: defaultSizes.filter(({ name }) => /_(D4s_v5|NC12s_v3|D64s_v5)$/.test(name)),
    settings: { createSeconds, deleteSeconds, retryAfterSeconds: 15, pageSize: 2, ...settings },
  });
  const cluster = azure.clusters[0]!;
  const context = testContext({
    clock,
    env: { AZURE_CLIENT_SECRET: azure.secret },
    nodes: { list: async (selector) => ok([...shelf.nodes.values()].map(summaryOf).filter(matching(selector))) },
  });
  const options = {
    subscription: cluster.subscription,
    resourceGroup: cluster.resourceGroup,
    clusterName,
    location: cluster.location,
    tenant: azure.tenant,
    credential: { type: 'client-secret', clientId: azure.clientId },
    cloud: { authorityHost: azure.authority, armEndpoint: azure.url, audience: 'https://management.azure.com' },
    certificateAuthority: azure.certificate,
    prices: false,
  };
  const module = await manifestOf(kind)!.load();
  // Made beforehand, because nobody waits for them later; they cost nothing until they are used.
  const providers = await Promise.all(Array.from({ length: 5 }, () => module.createProvider(options, context)));
  let used = 0;
  const anotherProvider = (): Provider => value(providers[used++ % providers.length]!);
  const offering: OfferingRef =
    kind === 'aks'
      ? { instanceType: 'Standard_D4s_v5', zone: 'eastus-2', capacityType: 'on-demand' }
      : { instanceType: 'Standard_A4_v2', zone: '', capacityType: 'on-demand' };
  return {
    kind,
    azure,
    cluster,
    clock,
    shelf,
    context,
    options,
    provider: anotherProvider(),
    anotherProvider,
    nodeClass: { name: 'default', spec: { tags: { team: 'web' } } },
    wrongNodeClass: { spec: { maxPodz: 30 }, field: 'spec.maxPodz' },
    offering,
    secrets: [azure.secret],
    advance: async (seconds) => {
      clock.advance(Math.ceil(seconds * 1000));
      await azure.settle();
    },
    makeForeign: async (name) => {
      const pool = name.replaceAll('-', '').slice(0, 12);
      azure.makeForeignPool(pool);
      return pool;
    },
    living: async () =>
      azure
        .ledger()
        .filter(({ goneAt }) => goneAt === null)
        .map(({ id }) => id),
    inject: async (injection) => {
      if (injection.do === 'shut-down') await azure.close();
      else azure.setFaults([toRule(injection, offering)]);
    },
    untilHeld: () => azure.held(1),
    close: async () => {
      for (const provider of providers) if (provider.ok) provider.value.close?.();
      await azure.close();
    },
  };
}

function summaryOf(node: { [key: string]: Json }): NodeSummary {
  const { metadata, spec } = node as {
    metadata: { name: string; labels?: Record<string, string> };
    spec?: { providerID?: string };
  };
  return { name: metadata.name, providerID: spec?.providerID ?? '', labels: metadata.labels ?? {}, createdAt: 0 };
}

/** As the API server has it: `a=b,c` asks for the value of one label and the presence of another. */
const matching =
  (selector: string) =>
  ({ labels }: NodeSummary): boolean =>
    selector.split(',').every((part) => {
      const [key = '', wanted] = part.split('=');
      return wanted === undefined ? labels[key] !== undefined : labels[key] === wanted;
    });

/** A read that breaks off is tried a second time; a write never is. */
const tries = (on: string): number => (on === 'get' || on === 'list' ? 2 : 1);

function toRule(injection: Exclude<Injection, { do: 'shut-down' }>, offering: OfferingRef): FaultRule {
  const once = { count: 1 };
  switch (injection.do) {
    case 'lose-answer':
      return { on: injection.on, ...once, do: { kind: 'reset', effect: 'done' } };
    case 'lose-request': {
      // A claim's pool is asked for by its name, so looking for it is a get.
      const on = injection.on === 'list' ? 'get' : injection.on;
      return { on, count: tries(on), do: { kind: 'reset' } };
    }
    case 'late-effect':
      return { on: injection.on, ...once, do: { kind: 'reset', effect: 'late', lateSeconds: injection.seconds } };
    case 'hold':
      return { on: injection.on, ...once, do: { kind: 'timeout' } };
    case 'throttle': {
      const { retryAfterSeconds } = injection;
      const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      return { on: injection.on, ...once, do: { kind: 'throttle', ...wait } };
    }
    case 'conflict':
      return { on: injection.on, ...once, do: { kind: 'conflict' } };
    case 'sold-out':
      return { on: 'create', offering: { ...offering }, ...once, do: { kind: 'sold-out' } };
    case 'quota':
      return { on: 'create', ...once, do: { kind: 'quota' } };
    case 'unauthorised':
      return { on: injection.on, ...once, do: { kind: 'unauthorised' } };
    case 'server-error':
      return { on: injection.on, count: tries(injection.on), do: { kind: 'error', status: 503 } };
    case 'garble':
      return { on: injection.on, ...once, do: { kind: 'garbled' } };
    case 'harmless-server-error':
    case 'list-sold-out':
    case 'lag':
      throw new Error(`Azure does no such thing: ${injection.do}`);
  }
}
