/** How the process of a provider runs in the cluster. */
import { z } from 'zod';
import { quantities, text } from '../../kube/crds/schema-parts.ts';
import { bigCount, choice, count, flag, list, looseRef, map, ofKubernetes } from './parts.ts';

const tls = z
  .object({
    enabled: flag('Whether calls are encrypted, and both sides show certificates.').default(true),
    secretRef: looseRef(
      'Secret with tls.crt, tls.key and ca.crt, which the provider and its clients use. Default: certificates that are issued and renewed for you.',
    ),
    insecureSkipVerify: flag('Whether any certificate of the provider is accepted.').default(false),
  })
  .partial()
  .describe('How calls are encrypted. Default: with certificates that are issued and renewed for you.');

const service = z
  .object({ port: count('Port for calls.', 1024, 65_535).default(9443), tls })
  .partial()
  .describe('How the provider is reached.');

const toleration = z
  .object({
    key: text('Key of the taint.'),
    operator: text('Exists or Equal.'),
    value: text('Value of the taint.'),
    effect: text('Effect of the taint.'),
    tolerationSeconds: bigCount('How long it is tolerated.'),
  })
  .partial();

export const providerRuntimeSchema = z
  .object({
    mode: choice(['Remote'], 'Where the provider runs: in pods of its own.').default('Remote'),
    image: text('Image of the provider.', { pattern: '^[a-zA-Z0-9._/:@-]+$' }),
    imagePullPolicy: choice(['Always', 'Never', 'IfNotPresent'], 'When the image is pulled.').default('IfNotPresent'),
    imagePullSecrets: list(
      z.object({ name: z.string().describe('Name of the Secret.').default('') }),
      'Secrets for the registry of the image.',
      10,
    ).optional(),
    replicas: count('Number of pods.', 1, 10).default(1),
    service: service.optional(),
    resources: z
      .object({
        requests: quantities('What is reserved for a pod.'),
        limits: quantities('What a pod may use.'),
        claims: list(
          z.object({ name: text('Name of the claim in the pod.'), request: text('Request of the claim.').optional() }),
          'Resource claims that the container uses.',
        ),
      })
      .partial()
      .describe('CPU and memory of a pod.')
      .optional(),
    nodeSelector: map('Labels of the nodes that the pods run on.').optional(),
    tolerations: list(toleration, 'Taints that the pods tolerate.', 20).optional(),
    affinity: ofKubernetes('Affinity, as in the spec of a pod.').optional(),
    securityContext: ofKubernetes(
      'Security context of the container. It adds to what is set for it, and replaces what it names.',
    ).optional(),
    logLevel: choice(['debug', 'info', 'warn', 'error'], 'Log level.').default('info'),
    logFormat: choice(['text', 'json'], 'Format of the log.').default('text'),
    env: z
      .array(
        z.object({
          name: text('Name of the variable.'),
          value: text('Value of the variable.').optional(),
          valueFrom: ofKubernetes('Where the value is from, as in the spec of a container.').optional(),
        }),
      )
      .max(50)
      .describe('Further variables of the environment.')
      .optional(),
    livenessProbe: ofKubernetes('Liveness probe, as in the spec of a container.').optional(),
    readinessProbe: ofKubernetes('Readiness probe, as in the spec of a container.').optional(),
  })
  .describe('How the provider runs.');
