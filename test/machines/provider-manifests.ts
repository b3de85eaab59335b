/** Providers as people write them: one small, one with everything, several replicas, two environments, a large one. */
import type { ProviderSpec } from '../../shared/machines/api/provider.ts';

const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: { matchLabels: { 'app.kubernetes.io/instance': 'advanced' } },
        topologyKey: 'kubernetes.io/hostname',
      },
    ],
  },
};

const image = 'registry.example.com/virtrigaud/provider:v0.3.11';

export const designProviders: Record<string, ProviderSpec> = {
  basic: {
    type: 'vsphere',
    endpoint: 'https://vcenter.example.com',
    credentialSecretRef: { name: 'vsphere' },
    runtime: { mode: 'Remote', image, service: { port: 9090 } },
  },
  advanced: {
    type: 'libvirt',
    endpoint: 'qemu+ssh://host.example.com/system',
    credentialSecretRef: { name: 'libvirt' },
    defaults: { cluster: 'compute', datastore: 'fast', network: 'lan' },
    rateLimit: { qps: 20, burst: 50 },
    runtime: {
      mode: 'Remote',
      image,
      imagePullPolicy: 'Always',
      imagePullSecrets: [{ name: 'regcred' }],
      replicas: 3,
      service: { port: 9090 },
      resources: { requests: { cpu: '200m', memory: '256Mi' }, limits: { cpu: 2, memory: '2Gi' } },
      affinity: apart,
      nodeSelector: { 'workload-type': 'compute' },
      tolerations: [{ key: 'compute-dedicated', operator: 'Equal', value: 'true', effect: 'NoSchedule' }],
      env: [
        { name: 'LIBVIRT_DEBUG', value: '1' },
        { name: 'PROVIDER_TIMEOUT', value: '300s' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
      logLevel: 'debug',
      logFormat: 'json',
      livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 30 },
      readinessProbe: { grpc: { port: 9090 }, periodSeconds: 5 },
      securityContext: { runAsUser: 1000 },
    },
  },
  single: {
    type: 'proxmox',
    endpoint: 'https://pve.example.com:8006',
    credentialSecretRef: { name: 'proxmox' },
    runtime: { image },
  },
  available: {
    type: 'vsphere',
    endpoint: 'https://vcenter.example.com',
    credentialSecretRef: { name: 'vsphere' },
    runtime: { image, replicas: 3, affinity: apart },
  },
  development: {
    type: 'libvirt',
    endpoint: 'qemu:///system',
    credentialSecretRef: { name: 'libvirt' },
    runtime: { image, replicas: 2 },
  },
  large: {
    type: 'vsphere',
    endpoint: 'https://vcenter.example.com',
    credentialSecretRef: { name: 'vsphere' },
    rateLimit: { qps: 100, burst: 200 },
    runtime: {
      image,
      replicas: 5,
      resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { cpu: 4, memory: '4Gi' } },
    },
  },
};
