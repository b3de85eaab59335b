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
  description:
    'Metadata that every stored object has: its name, its labels, who owns it, and what must happen before it goes.',
  properties: {
    name: text('Name of the object. It must be unique in its namespace and cannot be changed.'),
    generateName: text('Prefix of a name that the server completes with random characters when no name is given.'),
    namespace: text('Namespace of the object; empty for objects that belong to the whole cluster.'),
    uid: text('Identity of this very object; another object of the same name has another one.'),
    resourceVersion: text(
      'Version of the object, to be handed back as it is: it shows whether the object has changed.',
    ),
    generation: whole('Counts the changes of what is wanted.'),
    creationTimestamp: time('When the object was created.'),
    deletionTimestamp: time('When its deletion was asked for. The object goes when no finalizer is left.'),
    deletionGracePeriodSeconds: whole('Seconds that the object has to end gracefully.'),
    labels: texts('Keys and values to select objects by.'),
    annotations: texts('Keys and values of any content, for tools.'),
    finalizers: list('What must be done before the object may go; each is removed by who has done it.', {
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
        controller: flag('Whether the owner is the one controller of this object.'),
        blockOwnerDeletion: flag('Whether the owner waits for this object when it is deleted in the foreground.'),
      },
    }),
    managedFields: list('Who manages which fields, for server-side apply.', open('Fields of one manager.')),
  },
};

const apiVersion = text('Version of the schema that this object is written in.');
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

const taint = open('A taint keeps pods away that do not tolerate it.', {
  key: text('Key of the taint.'),
  value: text('Value of the taint.'),
  effect: text('What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute.'),
  timeAdded: time('When the taint was added.'),
});

const condition = open('One aspect of the state.', {
  type: text('Which aspect.'),
  status: text('True, False or Unknown.'),
  reason: text('Why, in one word.'),
  message: text('Why, in a sentence.'),
  lastTransitionTime: time('When the status last changed.'),
});

export const builtinSchemas: { [storage: string]: Schema } = {
  nodes: kindSchema('A machine that pods run on.', {
    spec: open('What is wanted of the node.', {
      providerID: text("The cloud's id of the machine."),
      unschedulable: flag('Whether new pods are kept away.'),
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
    spec: open('What is to run.', {
      nodeName: text('Node that the pod is bound to.'),
      containers: list('Containers of the pod.', open('A container.', { name: text('Name.'), image: text('Image.') })),
      terminationGracePeriodSeconds: whole('Seconds between the request to stop and the kill.'),
    }),
    status: open('What runs.', { phase: text('Pending, Running, Succeeded, Failed or Unknown.') }),
  }),
  namespaces: kindSchema('A scope for names.', {
    spec: open('What is wanted of the namespace.'),
    status: open('State of the namespace.', { phase: text('Active or Terminating.') }),
  }),
  events: kindSchema('A report of something that happened to an object.', {
    involvedObject: open('What it is about.'),
    reason: text('Why, in one word.'),
    message: text('What happened.'),
    type: text('Normal or Warning.'),
    count: whole('How often it happened.'),
  }),
  configmaps: kindSchema('Configuration as keys and values.', {
    data: texts('Keys and values.'),
    binaryData: texts('Keys and values in base64.'),
    immutable: flag('Whether the data may no longer change.'),
  }),
  secrets: kindSchema('Confidential keys and values.', {
    type: text('What kind of secret.'),
    data: texts('Keys and values in base64.'),
    stringData: texts('Keys and values in clear text, for writing only.'),
    immutable: flag('Whether the data may no longer change.'),
  }),
  serviceaccounts: kindSchema('An identity for what runs in pods.', {}),
  'poddisruptionbudgets.policy': kindSchema('How many pods of a set may be evicted at a time.', {
    spec: open('What must be kept up.', {
      minAvailable: {
        'x-kubernetes-int-or-string': true,
        description: 'Pods that must stay, as a number or a percentage.',
      },
      maxUnavailable: {
        'x-kubernetes-int-or-string': true,
        description: 'Pods that may be away, as a number or a percentage.',
      },
      selector: open('Pods that it counts.'),
    }),
    status: open('What may be evicted now.', { disruptionsAllowed: whole('Evictions allowed now.') }),
  }),
  'leases.coordination.k8s.io': kindSchema('A lock with an end, also used as a heartbeat.', {
    spec: open('The lease.', {
      holderIdentity: text('Who holds it.'),
      leaseDurationSeconds: whole('How long it holds after the last renewal.'),
      renewTime: text('When it was last renewed.'),
    }),
  }),
  'volumeattachments.storage.k8s.io': kindSchema('A volume that is or shall be attached to a node.', {
    spec: open('What is attached where.', {
      attacher: text('Driver that attaches.'),
      nodeName: text('Node.'),
      source: open('Volume.', { persistentVolumeName: text('Name of the volume.') }),
    }),
    status: open('Progress.', { attached: flag('Whether it is attached.') }),
  }),
  'daemonsets.apps': kindSchema('A pod on every matching node.', {
    spec: open('What runs where.', { selector: open('Pods that belong to it.'), template: open('Its pods.') }),
    status: open('How many run.'),
  }),
  'customresourcedefinitions.apiextensions.k8s.io': kindSchema('The definition of a further kind of object.', {
    spec: open('The kind.', {
      group: text('API group.'),
      scope: text('Cluster or Namespaced.'),
      names: open('Names of the kind.'),
      versions: list('Versions of the kind.', open('A version.', { name: text('Name of the version.') })),
    }),
    status: open('Whether the kind is served.'),
  }),
};
