/** What is switched on in a new cluster, and what GitOps puts there. */
import { z } from 'zod';
import { extended, labelValuePattern, text } from '../../kube/crds/schema-parts.ts';
import { gitOpsModes, gitProviders } from './choices.ts';

const flag = (description: string) => z.boolean().describe(description).optional();

const profile = z.strictObject({
  enabled: z.boolean().describe('Whether the add-on is on.'),
  config: extended(z.record(z.string(), z.string()), { description: 'Its settings, as texts.' }).optional(),
});

export const addOnsSchema = z
  .strictObject({
    monitoring: z
      .strictObject({
        workspaceID: text('ARM id of the Log Analytics workspace for the logs of containers.').optional(),
        metrics: flag('Managed Prometheus.'),
      })
      .describe('Azure Monitor: logs to a workspace, metrics to managed Prometheus.')
      .optional(),
    azurePolicy: flag('Azure Policy.'),
    keyVaultSecretsProvider: z
      .strictObject({
        rotation: flag('Whether secrets are read again regularly.'),
        rotationInterval: text('How often, such as 2m.').optional(),
      })
      .describe('Secrets from Azure Key Vault as volumes.')
      .optional(),
    applicationRouting: z
      .strictObject({
        dnsZoneIDs: extended(z.array(z.string().min(1)).max(5), {
          description: 'ARM ids of the DNS zones that it manages.',
          'x-kubernetes-list-type': 'set',
        }).optional(),
      })
      .describe('Managed NGINX ingress.')
      .optional(),
    workloadIdentity: flag('Workload identity, with the OIDC issuer. Default: true.'),
    defender: z
      .strictObject({ workspaceID: text('ARM id of the Log Analytics workspace of Defender.') })
      .describe('Microsoft Defender for Containers.')
      .optional(),
    flux: flag('Flux as the extension microsoft.flux, also without gitOps.'),
    profiles: extended(z.record(z.string(), profile), {
      description: 'Other add-on profiles of AKS by their name, passed on as they are.',
      maxProperties: 20,
    }).optional(),
  })
  .describe('Add-ons of the cluster.');

const kustomization = z.strictObject({
  name: extended(z.string().min(1).max(40), { description: 'Name of the kustomization.', pattern: labelValuePattern }),
  path: text('Directory in the repository, such as ./infra.').optional(),
  dependsOn: extended(z.array(z.string().min(1)).max(20), {
    description: 'Kustomizations that have to be ready first.',
    'x-kubernetes-list-type': 'set',
  }).optional(),
  prune: flag('Whether what disappears from the repository is deleted. Default: true.'),
  wait: flag('Whether it is ready only when all that it applies is healthy. Default: true.'),
});

export const gitOpsSchema = z
  .strictObject({
    url: text('URL of the repository: https:// or ssh://. Credentials do not belong into it.'),
    branch: text('Branch. Default: main, unless tag, semver or commit is set.').optional(),
    tag: text('Tag.').optional(),
    semver: text('Range of versions of tags.').optional(),
    commit: text('Commit.').optional(),
    mode: z
      .enum(gitOpsModes)
      .describe('Flux in the new cluster (extension), or in the management cluster (remote). Default: extension.')
      .optional(),
    secretRef: z
      .strictObject({ name: text('Name of a Secret in the namespace of the request.') })
      .describe('The credentials of the repository, with the keys that Flux or the extension expects.')
      .optional(),
    public: flag('Whether the repository can be read without credentials.'),
    provider: z.enum(gitProviders).describe('Azure: Azure DevOps, by workload identity. Default: Generic.').optional(),
    interval: text('How often the repository is read, such as 5m. Default: 5m.').optional(),
    kustomizations: extended(z.array(kustomization).min(1).max(20), {
      description: 'What is applied. Default: one kustomization, cluster, from the root of the repository.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }).optional(),
  })
  .describe('The repository that Flux applies to the new cluster.');
