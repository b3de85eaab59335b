/** What is around the pods of a provider: how they are reached, by whom, and how many may be missing. */
import type { Json } from '../../../base/json.ts';
import { metricsPort, portOf } from '../object.ts';
import type { RuntimePlan } from './manifests.ts';

type Fields = { [field: string]: Json };

export const serviceSpec = ({ provider, selector }: RuntimePlan): Fields => ({
  type: 'ClusterIP',
  selector,
  ports: [
    { name: 'grpc', port: portOf(provider), targetPort: 'grpc', protocol: 'TCP' },
    { name: 'metrics', port: metricsPort, targetPort: 'metrics', protocol: 'TCP' },
  ],
});

/** One pod at a time, also of a single one: a drain must not wait forever. */
export const budgetSpec = ({ selector }: RuntimePlan): Fields => ({
  maxUnavailable: 1,
  selector: { matchLabels: selector },
});

/** Calls come from managers; anything in the cluster may read metrics. Where the hypervisor is, nothing here knows, so traffic out is free. */
export const policySpec = ({ selector }: RuntimePlan): Fields => ({
  podSelector: { matchLabels: selector },
  policyTypes: ['Ingress'],
  ingress: [
    {
      from: ['poolwright', 'virtrigaud'].map((name) => ({
        namespaceSelector: {},
        podSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
      })),
      ports: [{ port: 'grpc', protocol: 'TCP' }],
    },
    { ports: [{ port: 'metrics', protocol: 'TCP' }] },
  ],
});
