/** The pods of a provider, started as VirtRigaud's manager starts them. */
import { fingerprint } from '../../../base/fingerprint.ts';
import type { Json } from '../../../base/json.ts';
import { labelsOf, metricsPort, type ProviderObject, portOf } from '../object.ts';
import { environmentOf, settingsOf } from './environment.ts';
import type { RuntimePlan } from './manifests.ts';

type Fields = { [field: string]: Json };

/** The user of images without one of their own; the one of ours as well. */
const user = 65_532;
/** Before it stops, a pod goes on answering until every client knows that it leaves. */
const leaveSeconds = 15;
const stopSeconds = leaveSeconds + 45;

export const deploymentSpec = (plan: RuntimePlan): Fields => ({
  replicas: plan.provider.spec.runtime.replicas ?? 1,
  selector: { matchLabels: plan.selector },
  // The new pod answers before an old one leaves.
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  template: {
    metadata: {
      labels: { ...labelsOf(plan.provider), ...plan.selector },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(metricsPort),
        'prometheus.io/path': '/metrics',
        // A process reads its environment once: other settings are other pods.
        'poolwright.dev/settings': fingerprint(settingsOf(plan.provider)),
      },
    },
    spec: podSpec(plan),
  },
});

function podSpec(plan: RuntimePlan): Fields {
  const { runtime } = plan.provider.spec;
  const { nodeSelector, affinity, tolerations, imagePullSecrets } = runtime;
  return {
    serviceAccountName: plan.name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: stopSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [container(plan)],
    volumes: volumes(plan),
    ...given({ nodeSelector, affinity, tolerations, imagePullSecrets }),
  };
}

function container(plan: RuntimePlan): Fields {
  const { provider, tls } = plan;
  const { runtime } = provider.spec;
  const port = portOf(provider);
  return {
    name: 'provider',
    image: runtime.image,
    imagePullPolicy: runtime.imagePullPolicy ?? 'IfNotPresent',
    args: [`--port=${port}`, `--health-port=${metricsPort}`],
    ports: [
      { name: 'grpc', containerPort: port, protocol: 'TCP' },
      { name: 'metrics', containerPort: metricsPort, protocol: 'TCP' },
    ],
    env: environmentOf(provider, tls),
    envFrom: [{ configMapRef: { name: plan.name } }],
    livenessProbe: (runtime.livenessProbe as Fields | undefined) ?? usualProbe('/healthz', provider, 20),
    readinessProbe: (runtime.readinessProbe as Fields | undefined) ?? usualProbe('/readyz', provider, 10),
    lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', `sleep ${leaveSeconds}`] } } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      ...((runtime.securityContext ?? {}) as Fields),
    },
    volumeMounts: mounts(plan),
    ...given({ resources: runtime.resources }),
  };
}

/** `healthCheck` is about the provider as a whole, and the kubelet asks one pod: its thresholds hold for both. */
function usualProbe(path: string, { spec }: ProviderObject, periodSeconds: number): Fields {
  const { failureThreshold = 3, successThreshold = 1 } = spec.healthCheck ?? {};
  return {
    httpGet: { path, port: 'metrics' },
    initialDelaySeconds: 3,
    periodSeconds,
    timeoutSeconds: 5,
    failureThreshold,
    // Kubernetes allows a liveness probe only one.
    successThreshold: path === '/readyz' ? successThreshold : 1,
  };
}

const credentials = 'credentials';
const certificates = 'tls';
const scratch = 'tmp';

/** Only this Provider's own Secrets, and each readable by its user alone. */
function volumes({ provider, tls }: RuntimePlan): Json[] {
  const secret = (name: string, secretName: string): Fields => ({ name, secret: { secretName, defaultMode: 0o440 } });
  const { credentialSecretRef } = provider.spec;
  return [
    { name: scratch, emptyDir: {} },
    ...(credentialSecretRef === undefined ? [] : [secret(credentials, credentialSecretRef.name)]),
    ...(tls.kind === 'plain' ? [] : [secret(certificates, tls.secret)]),
  ];
}

function mounts({ provider, tls }: RuntimePlan): Json[] {
  const folder = (name: string): Fields => ({ name, mountPath: `/etc/virtrigaud/${name}`, readOnly: true });
  return [
    { name: scratch, mountPath: '/tmp' },
    ...(provider.spec.credentialSecretRef === undefined ? [] : [folder(credentials)]),
    ...(tls.kind === 'plain' ? [] : [folder(certificates)]),
  ];
}

/** What the Provider says nothing about is left to the API server. */
const given = (fields: Record<string, unknown>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
