/** Objects for the suite. Names are made from the test's own prefix, so that a shared server can be used too. */

let count = 0;

export function freshName(prefix: string): string {
  return `${prefix}-${process.pid}-${++count}`;
}

type Fields = { [name: string]: unknown };

export function aClaim(name: string, metadata: Fields = {}, spec: Fields = {}): Fields {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, ...metadata },
    spec: {
      nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      ...spec,
    },
  };
}

export function aNode(name: string, metadata: Fields = {}): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...metadata },
    spec: { providerID: `sim://${name}` },
    status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: { cpu: '2' } },
  };
}

export function aPod(name: string, nodeName: string, labels: Fields = {}): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { nodeName, containers: [{ name: 'main', image: 'none' }], terminationGracePeriodSeconds: 0 },
  };
}

export function aConfigMap(name: string, data: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export const claims = '/apis/karpenter.sh/v1/nodeclaims';
export const nodes = '/api/v1/nodes';
export const pods = '/api/v1/namespaces/default/pods';
export const configMaps = '/api/v1/namespaces/default/configmaps';
export const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
export const nodePools = '/apis/karpenter.sh/v1/nodepools';
export const events = '/api/v1/namespaces/default/events';
export const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
