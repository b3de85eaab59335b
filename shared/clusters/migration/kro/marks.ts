/** What KRO writes on its objects, and what it heeds. */

export const kroGroup = 'kro.run';
export const kroVersion = 'v1alpha1';

export const kroFinalizer = 'kro.run/finalizer';
/** On an instance. `suspended`: KRO applies and prunes nothing; it still deletes. */
export const kroReconcile = 'kro.run/reconcile';
export const suspended = 'suspended';

export const kroLabels = {
  instanceId: 'kro.run/instance-id',
  nodeId: 'kro.run/node-id',
  graph: 'kro.run/resource-graph-definition-name',
  managedBy: 'app.kubernetes.io/managed-by',
  partOf: 'applyset.kubernetes.io/part-of',
} as const;

const kroPrefixes = ['kro.run/', 'applyset.kubernetes.io/', 'applyset.k8s.io/'];

/** A label that says that an object belongs to an instance. */
export const isKroLabel = (key: string, value: string): boolean =>
  kroPrefixes.some((prefix) => key.startsWith(prefix)) || (key === kroLabels.managedBy && value === 'kro');

/** A field manager of KRO: the one that applies children, and those of its releases before. */
export const isKroManager = (manager: string | undefined): boolean =>
  manager !== undefined && (manager === 'kro' || manager.startsWith('kro.run') || manager.startsWith('kro-'));

/** ASO adds and removes these itself; what they say is not a part of what somebody asked for. */
export const deploymentLabel = 'app.kubernetes.io/name=kro';
export const definitionDeletion = 'allow-crd-deletion';
