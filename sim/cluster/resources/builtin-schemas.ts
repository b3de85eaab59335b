/** Schemas of built-in kinds: what `kubectl explain` shows. Fields that are not listed are kept as they come. */
import type { Schema } from './schema.ts';

const text = (description: string): Schema => ({ type: 'string', description });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const whole = (description: string): Schema => ({ type: 'integer', description });
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description });
const texts = (description: string): Schema => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
});
const open = (description: string, properties: { [name: string]: Schema } = {}): Schema => ({
  type: 'object',
  description,
  properties,
  'x-kubernetes-preserve-unknown-fields': true,
});
const list = (description: string, items: Schema): Schema => ({ type: 'array', description, items });

export const metadataSchema: Schema = {
  type: 'object',
  description: 'Metadata of every stored object: its name, labels, owners and finalizers.',
  properties: {
    name: text('Name of the object. It must be unique in its namespace and cannot be changed.'),
    generateName: text('Prefix of a name that the server completes with random characters if no name is given.'),
    namespace: text('Namespace of the object; empty for cluster-scoped objects.'),
    uid: text('Unique id of this object; a later object with the same name has another one.'),
    resourceVersion: text('Opaque version of the object, to detect changes. Pass it back unchanged.'),
    generation: whole('Increases with each change of the spec.'),
    creationTimestamp: time('When the object was created.'),
    deletionTimestamp: time('When its deletion was requested. The object is removed when it has no finalizers.'),
    deletionGracePeriodSeconds: whole('Seconds for graceful termination.'),
    labels: texts('Keys and values to select objects by.'),
    annotations: texts('Keys and values for tools and libraries.'),
    finalizers: list('Block the removal of the object; each is removed by the component that added it.', {
      type: 'string',
    }),
    ownerReferences: list('Objects that this one belongs to.', {
      type: 'object',
      description: 'An owner.',
      properties: {
        apiVersion: text('API version of the owner.'),
        kind: text('Kind of the owner.'),
        name: text('Name of the owner.'),
        uid: text('Identity of the owner.'),
        controller: flag('Whether the owner is the managing controller of this object.'),
        blockOwnerDeletion: flag('Whether the owner waits for this object when it is deleted in the foreground.'),
      },
    }),
    managedFields: list('Which manager owns which fields, for server-side apply.', open('Fields of one manager.')),
  },
};

const apiVersion = text('Version of the schema of this object.');
const kind = text('Kind of object.');

/** The schema of a kind: type, metadata, and its own fields. */
export function kindSchema(description: string, fields: { [name: string]: Schema }): Schema {
  return {
    type: 'object',
    description,
    properties: { apiVersion, kind, metadata: metadataSchema, ...fields },
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

const taint = open('Repels pods that do not tolerate the taint.', {
  key: text('Key of the taint.'),
  value: text('Value of the taint.'),
  effect: text('What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute.'),
  timeAdded: time('When the taint was added.'),
});

const condition = open('A condition.', {
  type: text('Type of the condition.'),
  status: text('True, False or Unknown.'),
  reason: text('Reason in CamelCase.'),
  message: text('Human-readable message.'),
  lastTransitionTime: time('When the status last changed.'),
});

export const builtinSchemas: { [storage: string]: Schema } = {
  nodes: kindSchema('A machine that pods run on.', {
    spec: open('Desired state of the node.', {
      providerID: text("The cloud's id of the machine."),
      unschedulable: flag('Whether the node is unschedulable for new pods.'),
      taints: list('Taints of the node.', taint),
      podCIDR: text('Range of addresses for its pods.'),
    }),
    status: open('What the node reports.', {
      capacity: texts('All resources of the node.'),
      allocatable: texts('Resources that pods may use.'),
      conditions: list('Conditions of the node.', condition),
      nodeInfo: open('Software on the node.'),
      addresses: list(
        'Addresses of the node.',
        open('An address.', { type: text('Kind.'), address: text('Address.') }),
      ),
    }),
  }),
  pods: kindSchema('Containers that run together on one node.', {
    spec: open('Desired state of the pod.', {
      nodeName: text('Node that the pod is bound to.'),
      containers: list('Containers of the pod.', open('A container.', { name: text('Name.'), image: text('Image.') })),
      terminationGracePeriodSeconds: whole('Seconds between the request to stop and the forced stop.'),
    }),
    status: open('State of the pod.', { phase: text('Pending, Running, Succeeded, Failed or Unknown.') }),
  }),
  namespaces: kindSchema('A scope for names.', {
    spec: open('Desired state of the namespace.'),
    status: open('State of the namespace.', { phase: text('Active or Terminating.') }),
  }),
  events: kindSchema('A report of something that happened to an object.', {
    involvedObject: open('The object of the event.'),
    reason: text('Reason in CamelCase.'),
    message: text('What happened.'),
    type: text('Normal or Warning.'),
    count: whole('Number of occurrences.'),
  }),
  configmaps: kindSchema('Configuration as keys and values.', {
    data: texts('Keys and values.'),
    binaryData: texts('Keys and values in base64.'),
    immutable: flag('Whether the data is immutable.'),
  }),
  secrets: kindSchema('Confidential keys and values.', {
    type: text('Type of the secret.'),
    data: texts('Keys and values in base64.'),
    stringData: texts('Keys and values in clear text, for writing only.'),
    immutable: flag('Whether the data is immutable.'),
  }),
  serviceaccounts: kindSchema('An identity for processes in pods.', {}),
  'poddisruptionbudgets.policy': kindSchema('Limits the evictions of a set of pods.', {
    spec: open('Limits for evictions.', {
      minAvailable: {
        'x-kubernetes-int-or-string': true,
        description: 'Pods that must remain available, as a number or a percentage.',
      },
      maxUnavailable: {
        'x-kubernetes-int-or-string': true,
        description: 'Pods that may be unavailable, as a number or a percentage.',
      },
      selector: open('Pods to which the budget applies.'),
    }),
    status: open('Current state of the budget.', { disruptionsAllowed: whole('Evictions allowed now.') }),
  }),
  'leases.coordination.k8s.io': kindSchema('A lock that expires, also used as a heartbeat.', {
    spec: open('The lease.', {
      holderIdentity: text('Holder of the lease.'),
      leaseDurationSeconds: whole('Seconds until the lease expires after the last renewal.'),
      renewTime: text('When it was last renewed.'),
    }),
  }),
  'volumeattachments.storage.k8s.io': kindSchema('Intent to attach a volume to a node.', {
    spec: open('Volume and node.', {
      attacher: text('Volume driver.'),
      nodeName: text('Node.'),
      source: open('Volume.', { persistentVolumeName: text('Name of the volume.') }),
    }),
    status: open('Progress.', { attached: flag('Whether it is attached.') }),
  }),
  'daemonsets.apps': kindSchema('A pod on every matching node.', {
    spec: open('Desired state.', { selector: open('Pods that belong to it.'), template: open('Its pods.') }),
    status: open('Current state.'),
  }),
  'customresourcedefinitions.apiextensions.k8s.io': kindSchema('The definition of a custom resource.', {
    spec: open('The kind.', {
      group: text('API group.'),
      scope: text('Cluster or Namespaced.'),
      names: open('Names of the kind.'),
      versions: list('Versions of the kind.', open('A version.', { name: text('Name of the version.') })),
    }),
    status: open('Current state of the definition.'),
  }),
};
