/** VMPlacementPolicy: where machines may run. */
import { z } from 'zod';
import { ageColumn, type KindDefinition } from '../../kube/crds/definition.ts';
import { conditions, extended, quantity, text, time } from '../../kube/crds/schema-parts.ts';
import { machineKinds } from './kinds.ts';
import { bigCount, choice, count, flag, list, localRef, map, observedGeneration, texts } from './parts.ts';
import { affinitySchema, antiAffinitySchema } from './vm-placement-affinity.ts';

const toleration = z
  .object({
    key: text('Key of the taint.'),
    operator: choice(['Exists', 'Equal'], 'How the value is compared.').default('Equal'),
    value: text('Value of the taint.'),
    effect: text('Effect of the taint.'),
    tolerationSeconds: bigCount('How long it is tolerated.'),
  })
  .partial();

const places = (description: string) =>
  z
    .object({
      clusters: texts('Clusters of hosts.', 50),
      hosts: texts('Hosts.', 200),
      datastores: texts('Datastores.', 100),
      folders: texts('Folders.', 50),
      resourcePools: texts('Resource pools.', 100),
      networks: texts('Networks.', 50),
      zones: texts('Zones.', 20),
      regions: texts('Regions.', 20),
      excludedClusters: texts('Clusters that are not used.', 50),
      excludedHosts: texts('Hosts that are not used.', 200),
      excludedDatastores: texts('Datastores that are not used.', 100),
      nodeSelector: map('Labels of hosts.', 20),
      tolerations: list(toleration, 'Taints of hosts that are tolerated.', 20),
    })
    .partial()
    .describe(description);

const percent = (description: string) => count(description, 0, 100);

export const vmPlacementPolicySpecSchema = z
  .object({
    hard: places('Where machines may run.'),
    soft: places('Where machines should run.'),
    affinity: affinitySchema,
    antiAffinity: antiAffinitySchema,
    priority: count('A policy with a higher priority comes first.', 0, 1000),
    weight: count('How much the policy counts.', 1, 100),
    resourceConstraints: z
      .object({
        maxCPUUtilization: percent('Most use of the CPU of a host, in percent.'),
        maxMemoryUtilization: percent('Most use of the memory of a host, in percent.'),
        maxDiskUtilization: percent('Most use of the disk of a host, in percent.'),
        minCPUPerHost: count('Fewest CPUs of a host.', 1),
        minMemoryPerHost: quantity('Least memory of a host.'),
        minDiskSpacePerHost: quantity('Least disk space of a host.'),
        requiredFeatures: texts('Features that a host must have.', 20),
        preferredFeatures: texts('Features that a host should have.', 20),
      })
      .partial()
      .describe('What a host must have left.'),
    securityConstraints: z
      .object({
        isolationLevel: choice(['none', 'basic', 'strict', 'maximum'], 'How far machines are kept apart.'),
        trustLevel: choice(['untrusted', 'basic', 'trusted', 'highly-trusted'], 'How far a host is trusted.'),
        requireEncryptedStorage: flag('Whether storage must be encrypted.'),
        requireSecureBoot: flag('Whether only signed software may boot.'),
        requireTPM: flag('Whether a TPM is needed.'),
        requireNUMATopology: flag('Whether the NUMA topology is needed.'),
        allowedSecurityGroups: texts('Security groups that are allowed.', 20),
        deniedSecurityGroups: texts('Security groups that are not allowed.', 20),
      })
      .partial()
      .describe('Protection that a host must give.'),
  })
  .partial()
  .describe('Where machines may run.');

const conflict = z.object({
  policyName: text('The other policy.'),
  conflictType: choice(['hard', 'soft', 'resource', 'security', 'affinity'], 'What they disagree about.'),
  severity: choice(['low', 'medium', 'high', 'critical'], 'How bad it is.').optional(),
  description: text('What the conflict is.').optional(),
  resolutionSuggestion: text('What can be done.').optional(),
});

export const vmPlacementPolicyStatusSchema = z
  .object({
    observedGeneration,
    usedByVMs: list(localRef('VirtualMachine.'), 'Machines of the policy.', 1000),
    conflictingPolicies: list(conflict, 'Policies that want something else.', 50),
    placementStats: z
      .object({
        totalPlacements: count('Machines that were placed, or could not be.'),
        successfulPlacements: count('Machines that were placed.'),
        failedPlacements: count('Machines that could not be placed.'),
        constraintViolations: count('Rules that did not hold.'),
        averagePlacementTime: text('Average time that it took.'),
        lastPlacementTime: time('When a machine was last placed.'),
        placementDistribution: extended(z.record(z.string(), count('Machines.')), {
          description: 'Machines at each place.',
        }),
      })
      .partial()
      .describe('What has been placed.'),
    validationResults: extended(
      z.record(
        z.string(),
        z.object({
          valid: flag('Whether the provider can follow it.'),
          message: text('Why not.').optional(),
          warnings: texts('What should be known.', 20).optional(),
          errors: texts('What is wrong.', 20).optional(),
          supportedFeatures: texts('What the provider can follow.', 50).optional(),
          unsupportedFeatures: texts('What it can not follow.', 50).optional(),
          lastValidated: time('When that was found out.').optional(),
        }),
      ),
      { description: 'What each provider says about the policy.' },
    ),
    conditions: conditions(),
  })
  .partial()
  .describe('What the policy has done.');

export type VMPlacementPolicySpec = z.input<typeof vmPlacementPolicySpecSchema>;

export const vmPlacementPolicyDefinition: KindDefinition = {
  ...machineKinds.placement,
  scope: 'Namespaced',
  shortNames: ['vmpp'],
  categories: ['poolwright'],
  description: 'Where virtual machines may run.',
  spec: vmPlacementPolicySpecSchema,
  specRequired: false,
  status: vmPlacementPolicyStatusSchema,
  columns: [
    { name: 'Priority', type: 'integer', jsonPath: '.spec.priority', description: 'Priority of the policy.' },
    {
      name: 'Placed',
      type: 'integer',
      jsonPath: '.status.placementStats.successfulPlacements',
      description: 'Machines that were placed.',
    },
    {
      name: 'Failed',
      type: 'integer',
      jsonPath: '.status.placementStats.failedPlacements',
      description: 'Machines that could not be placed.',
    },
    ageColumn,
  ],
};
