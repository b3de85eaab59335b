/**
 * All that is asked of one subscription before an AKS cluster is made there. It only reads. Nothing is kept: who asks often keeps the answers.
 */
import { defined } from '../../../base/defined.ts';
import { ok } from '../../../base/result.ts';
import type { AzureConnection } from '../connection.ts';
import { armJson, armResource, publicJson } from '../fetch-json.ts';
import { readAksLocations, readKubernetesVersions, readRegistrations, readResource } from './aks-offers.ts';
import { readTierPrices } from './aks-prices.ts';
import { readPrices } from './prices.ts';
import { readSizes } from './resource-skus.ts';
import { readUsages } from './usages.ts';

export function aksFacts(connection: AzureConnection, subscription: string) {
  const { armEndpoint: endpoint, pricesUrl } = connection.options.cloud;
  const here = { endpoint, subscriptionId: subscription };
  const arm = (what: string) => armJson(connection, what);
  const groupUrl = (group: string): string =>
    `${endpoint}/subscriptions/${subscription}/resourceGroups/${encodeURIComponent(group)}`;
  return {
    subscription,
    locations: (signal: AbortSignal) => readAksLocations(arm('the locations of AKS'), here, signal),
    registrations: (signal: AbortSignal) => readRegistrations(arm('the resource providers'), here, signal),
    versions: (location: string, signal: AbortSignal) =>
      readKubernetesVersions(arm(`the Kubernetes versions in ${location}`), { ...here, location }, signal),
    sizes: (location: string, signal: AbortSignal) =>
      readSizes(arm(`the VM sizes in ${location}`), { ...here, location }, signal),
    usages: (location: string, signal: AbortSignal) =>
      readUsages(arm(`the quotas in ${location}`), { ...here, location }, signal),
    prices: async (location: string, signal: AbortSignal) => {
      const get = publicJson(connection, `the prices in ${location}`);
      const at = { location, ...defined({ url: pricesUrl }) };
      const [sizes, tiers] = await Promise.all([readPrices(get, at, signal), readTierPrices(get, at, signal)]);
      if (!sizes.ok) return sizes;
      // Without the second list, the price of a control plane is unknown, and that of nodes is not.
      return ok({ currency: 'USD', sizes: sizes.value, tiers: tiers.ok ? tiers.value : {} });
    },
    group: (name: string, signal: AbortSignal) =>
      readResource(
        armResource(connection, `the resource group ${name}`),
        `${groupUrl(name)}?api-version=2021-04-01`,
        signal,
      ),
    cluster: (group: string, name: string, signal: AbortSignal) => {
      const id = `${groupUrl(group)}/providers/Microsoft.ContainerService/managedClusters/${encodeURIComponent(name)}`;
      return readResource(armResource(connection, `the cluster ${name}`), `${id}?api-version=2025-08-01`, signal);
    },
  };
}
