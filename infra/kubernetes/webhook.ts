/** The ValidatingWebhookConfiguration with which an API server calls us. The Helm chart renders the same. */

import { oldForms } from '../../shared/clusters/convert/old-form.ts';
import type { ProviderManifest } from '../../shared/providers/manifest.ts';
import { manifests } from '../../shared/providers/manifests.ts';

export interface WebhookOptions {
  /** As the configuration of the host names it. */
  cluster: string;
  /** Of the host, as the API server reaches it; https. */
  url: string;
  /** PEM; needed unless the certificate of the host is signed publicly. */
  caBundle?: string;
  /** One of `clusters.<name>.intake.pathSecrets`, where the API server can be given no other credentials. */
  pathSecret?: string;
  name?: string;
  timeoutSeconds?: number;
}

/**
 * @example
 * const manifest = webhookConfiguration({ cluster: 'production', url: 'https://poolwright.example', pathSecret });
 */
export function webhookConfiguration(options: WebhookOptions) {
  const { cluster, url, caBundle, pathSecret, name = 'poolwright', timeoutSeconds = 5 } = options;
  const path = ['/v1/webhook', encodeURIComponent(cluster), ...(pathSecret === undefined ? [] : [pathSecret])].join(
    '/',
  );
  return {
    apiVersion: 'admissionregistration.k8s.io/v1' as const,
    kind: 'ValidatingWebhookConfiguration' as const,
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'poolwright' } },
    webhooks: [
      {
        name: 'claims.poolwright.dev',
        admissionReviewVersions: ['v1'],
        clientConfig: {
          // A URL, not a service: it works while the cluster has no node.
          url: `${url.replace(/\/+$/, '')}${path}`,
          ...(caBundle === undefined ? {} : { caBundle: Buffer.from(caBundle).toString('base64') }),
        },
        // Nobody is held up when the host is away: the resync sees what the webhook has missed.
        failurePolicy: 'Ignore' as const,
        matchPolicy: 'Equivalent' as const,
        sideEffects: 'NoneOnDryRun' as const,
        timeoutSeconds,
        matchConditions: [
          {
            // Labels, annotations and finalizers, ours among them, are nothing to ask about: it would slow every write.
            name: 'only-what-matters',
            expression: "request.operation != 'UPDATE' || object.metadata.generation != oldObject.metadata.generation",
          },
        ],
        rules: [
          rule('karpenter.sh', 'v1', 'nodeclaims', 'nodepools'),
          // Without their subresources: a status is ours to write.
          rule('poolwright.dev', '*', '*'),
          { ...rule('poolwright.dev', '*', 'clusterrequests'), scope: 'Namespaced' as const },
          // Forms of before, which the API server would take and cut down.
          ...oldForms
            .filter(({ group }) => group !== 'karpenter.sh')
            .map(({ group, resource }) => rule(group, '*', resource)),
          // What the definition of these kinds can't say.
          ...groupsWithRules.filter((group) => group !== 'poolwright.dev').map((group) => rule(group, '*', '*')),
        ],
      },
    ],
  };
}

/** The groups of node classes for which a provider has rules of its own. */
const groupsWithRules = [
  ...new Set(
    (manifests as readonly ProviderManifest[])
      .filter(({ admission }) => admission !== undefined)
      .flatMap(({ nodeClasses }) => nodeClasses.map(({ group }) => group)),
  ),
];

const rule = (group: string, version: string, ...resources: string[]) => ({
  apiGroups: [group],
  apiVersions: [version],
  resources,
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  scope: 'Cluster' as const,
});
