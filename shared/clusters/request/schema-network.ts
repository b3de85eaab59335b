/** How a new cluster is reached, and how its pods and services are. */
import { z } from 'zod';
import { extended, text } from '../../kube/crds/schema-parts.ts';
import {
  identityTypes,
  networkDataplanes,
  networkPluginModes,
  networkPlugins,
  networkPolicies,
  outboundTypes,
} from './choices.ts';

export const networkSchema = z
  .strictObject({
    subnetID: text('ARM id of the subnet of the nodes. Default: AKS makes a virtual network.').optional(),
    podSubnetID: text('ARM id of a subnet for pods, instead of the overlay.').optional(),
    plugin: z.enum(networkPlugins).describe('Network plugin. Default: azure.').optional(),
    pluginMode: z.enum(networkPluginModes).describe('Default with the plugin azure: overlay.').optional(),
    dataplane: z.enum(networkDataplanes).describe('Default with the overlay: cilium.').optional(),
    policy: z.enum(networkPolicies).describe('Network policies. Default with the overlay: cilium.').optional(),
    podCidr: text('Addresses of the pods.').optional(),
    serviceCidr: text('Addresses of the services.').optional(),
    dnsServiceIP: text('Address of the DNS service, in serviceCidr.').optional(),
    outboundType: z.enum(outboundTypes).describe('How nodes reach the internet. Default: loadBalancer.').optional(),
    private: z.boolean().describe('Whether the API server has a private address only. Default: false.').optional(),
    privateDNSZone: text('system, none, or the ARM id of a private DNS zone; with private only.').optional(),
    authorizedIPRanges: extended(z.array(z.string().min(1).max(64)).max(200), {
      description: 'Addresses that may reach a public API server.',
      'x-kubernetes-list-type': 'set',
    }).optional(),
  })
  .describe('The network of the cluster.');

const serviceAccount = z.strictObject({
  name: text('Name of the federated credential in Azure.'),
  serviceAccount: text('Service account that uses the identity, as namespace/name.'),
  audience: text('Audience of its tokens. Default: api://AzureADTokenExchange.').optional(),
});

export const identitySchema = z
  .strictObject({
    type: z
      .enum(identityTypes)
      .describe('Default: UserAssigned, an identity that is created for the cluster.')
      .optional(),
    resourceID: text('ARM id of an identity that exists; it is not created and not deleted.').optional(),
    federatedCredentials: extended(z.array(serviceAccount).max(20), {
      description: 'Service accounts of the new cluster that may use the created identity.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }).optional(),
  })
  .describe('The identity of the cluster in Azure.');

export const accessSchema = z
  .strictObject({
    disableLocalAccounts: z
      .boolean()
      .describe('Whether the certificate of the administrator is switched off. Default: false.')
      .optional(),
    azureRBAC: z.boolean().describe('Whether roles of Azure decide who may do what in the cluster.').optional(),
    adminGroupObjectIDs: extended(z.array(z.string().min(1).max(64)).max(50), {
      description: 'Object ids of Entra groups whose members are administrators of the cluster.',
      'x-kubernetes-list-type': 'set',
    }).optional(),
  })
  .describe('Who can use the API of the cluster.');
