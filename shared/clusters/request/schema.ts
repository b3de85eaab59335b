/**
 * What a ClusterRequest says. The schema holds single fields to their shape; what fields mean together, and what Azure refuses, is in
 * shared/clusters/rules/. Nearly everything has a default, and no default is stored: a request says what its author said.
 */
import { z } from 'zod';
import { extended, text } from '../../kube/crds/schema-parts.ts';
import { drivers, nodeMakers, nodeOsUpgradeChannels, supportPlans, tiers, upgradeChannels } from './choices.ts';
import { addOnsSchema, gitOpsSchema } from './schema-add-ons.ts';
import { accessSchema, identitySchema, networkSchema } from './schema-network.ts';
import { lifetime, nodePoolSchema, systemPoolSchema } from './schema-nodes.ts';
import { clusterNamePattern, dnsPrefixPattern, requestRules, resourceGroupPattern } from './schema-rules.ts';

const aso = z
  .strictObject({
    credentialFrom: text('Secret with the credential for Azure, in the namespace of the request.').optional(),
    apiVersion: text(
      'API version of ManagedCluster. Default: the newest that the operator serves and that has what is needed.',
    ).optional(),
  })
  .describe('How Azure Service Operator is used.');

export const clusterRequestSpecSchema = extended(
  z.strictObject({
    clusterName: text('Name of the cluster in Azure. Default: the name of the request.', {
      pattern: clusterNamePattern,
    }).optional(),
    location: text('Azure location, such as westeurope.'),
    resourceGroup: text('Resource group in Azure, which is created. Default: rg- and the name of the cluster.', {
      pattern: resourceGroupPattern,
    }).optional(),
    nodeResourceGroup: text(
      'Resource group of the nodes. Default: one that AKS names, or ours where that is too long.',
    ).optional(),
    dnsPrefix: text('First part of the DNS name of the API server. Default: from the name of the cluster.', {
      pattern: dnsPrefixPattern,
    }).optional(),
    kubernetesVersion: text(
      'Kubernetes version, such as 1.35 or 1.35.2. Default: that of AKS in the location.',
    ).optional(),
    tier: z.enum(tiers).describe('Tier of the control plane. Default: Free.').optional(),
    supportPlan: z.enum(supportPlans).describe('Support plan. Default: KubernetesOfficial.').optional(),
    upgradeChannel: z.enum(upgradeChannels).describe('Automatic upgrades of Kubernetes. Default: none.').optional(),
    nodeOSUpgradeChannel: z
      .enum(nodeOsUpgradeChannels)
      .describe('Automatic upgrades of the OS of the nodes.')
      .optional(),
    nodes: z
      .enum(nodeMakers)
      .describe(
        'Who makes nodes: AKS with node auto-provisioning (nap), Poolwright, or the autoscaler of agent pools. Default: nap.',
      )
      .optional(),
    nodePool: nodePoolSchema.optional(),
    systemPool: systemPoolSchema.optional(),
    network: networkSchema.optional(),
    identity: identitySchema.optional(),
    access: accessSchema.optional(),
    addOns: addOnsSchema.optional(),
    gitOps: gitOpsSchema.optional(),
    tags: extended(z.record(z.string(), z.string()), {
      description: 'Tags of everything that is created in Azure.',
      maxProperties: 50,
    }).optional(),
    lifetime: lifetime(
      'How long the cluster lives, such as 72h; then it is deleted. Default: until it is deleted.',
    ).optional(),
    deleteGuard: z
      .boolean()
      .describe('Whether the cluster is protected: deleting the request leaves everything in Azure. Default: false.')
      .optional(),
    dryRun: z.boolean().describe('Whether the request is only checked and planned. Default: false.').optional(),
    driver: z.enum(drivers).describe('How Azure is asked. Default: aso.').optional(),
    aso: aso.optional(),
  }),
  { description: 'The cluster that is wanted.', 'x-kubernetes-validations': requestRules },
);

export type ClusterRequestSpec = z.input<typeof clusterRequestSpecSchema>;
