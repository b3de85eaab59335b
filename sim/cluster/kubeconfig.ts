/** The kubeconfig for a cluster API without credentials on this machine. */
import { stringify } from 'yaml';

/** YAML text; its one context is `poolwright-sim`. */
export function kubeconfigFor(url: string): string {
  const name = 'poolwright-sim';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
