/** What `kubectl get` shows of built-in kinds, column for column as a real cluster does. */

import { isObject } from '../../../shared/base/json.ts';
import { ageOf } from '../duration.ts';
import { type Column, fieldAt, type KubeObject, listAt, textAt } from '../types.ts';
import { ageColumn, column, conditionStatus, nameColumn, orNone, wide } from './columns.ts';

function nodeStatus(node: KubeObject): string {
  const ready = conditionStatus(node, 'Ready');
  const words = [ready === 'True' ? 'Ready' : ready === '' ? 'Unknown' : 'NotReady'];
  if (fieldAt(node, 'spec', 'unschedulable') === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(prefix) ? [key.slice(prefix.length)] : key === 'kubernetes.io/role' && value !== '' ? [value] : [],
  );
  return orNone(roles.sort().join(','));
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = listAt(node, 'status', 'addresses').find((address) => textAt(address, 'type') === type);
  return orNone(textAt(found, 'address'));
}

const info = (field: string) => (node: KubeObject) => textAt(node, 'status', 'nodeInfo', field) || '<unknown>';

const node: Column[] = [
  nameColumn,
  column('Status', 'Whether the node is ready and schedulable.', nodeStatus),
  column('Roles', 'Roles of the node.', nodeRoles),
  ageColumn,
  column('Version', 'Version of the kubelet.', (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
  wide('Internal-IP', 'Address inside the cluster.', (object) => nodeAddress(object, 'InternalIP')),
  wide('External-IP', 'Address outside the cluster.', (object) => nodeAddress(object, 'ExternalIP')),
  wide('OS-Image', 'Operating system.', info('osImage')),
  wide('Kernel-Version', 'Kernel.', info('kernelVersion')),
  wide('Container-Runtime', 'Container runtime and its version.', info('containerRuntimeVersion')),
];

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

function podReady(pod: KubeObject): string {
  const ready = listAt(pod, 'status', 'containerStatuses').filter((one) => fieldAt(one, 'ready') === true).length;
  return `${ready}/${listAt(pod, 'spec', 'containers').length}`;
}

function podRestarts(pod: KubeObject): string {
  const counts = listAt(pod, 'status', 'containerStatuses').map((one) => Number(fieldAt(one, 'restartCount') ?? 0));
  return String(counts.reduce((sum, count) => sum + count, 0));
}

const pod: Column[] = [
  nameColumn,
  column('Ready', 'Number of ready containers and of all containers.', podReady),
  column('Status', 'Phase of the pod.', podStatus),
  column('Restarts', 'Number of container restarts.', podRestarts),
  ageColumn,
  wide('IP', 'Address of the pod.', (object) => orNone(textAt(object, 'status', 'podIP'))),
  wide('Node', 'Node of the pod.', (object) => orNone(textAt(object, 'spec', 'nodeName'))),
  wide('Nominated Node', 'Node that the scheduler nominated for the pod.', (object) =>
    orNone(textAt(object, 'status', 'nominatedNodeName')),
  ),
  wide('Readiness Gates', 'Additional conditions for readiness.', () => '<none>'),
];

function eventObject(event: KubeObject): string {
  return `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`;
}

const eventSeen = (event: KubeObject): string =>
  textAt(event, 'lastTimestamp') || textAt(event, 'eventTime') || event.metadata.creationTimestamp;

const event: Column[] = [
  column('Last Seen', 'Time since it was last seen.', (object, now) => ageOf(eventSeen(object), now)),
  column('Type', 'Normal or Warning.', (object) => textAt(object, 'type')),
  column('Reason', 'Reason in CamelCase.', (object) => textAt(object, 'reason')),
  column('Object', 'The object of the event.', eventObject),
  wide('Subobject', 'The field of the object.', (object) => textAt(object, 'involvedObject', 'fieldPath')),
  wide(
    'Source',
    'Component that reported the event.',
    (object) => textAt(object, 'source', 'component') || textAt(object, 'reportingComponent'),
  ),
  column('Message', 'What happened.', (object) => textAt(object, 'message').trim()),
  wide('First Seen', 'Time since it was first seen.', (object, now) =>
    ageOf(textAt(object, 'firstTimestamp') || eventSeen(object), now),
  ),
  wide('Count', 'Number of occurrences.', (object) => Number(fieldAt(object, 'count') ?? 1), 'integer'),
  { ...nameColumn, priority: 1 },
];

const sizeOf = (value: unknown): number => (isObject(value) ? Object.keys(value).length : 0);

const count = (...path: string[]) => {
  return (object: KubeObject) => Number(fieldAt(object, ...path) ?? 0);
};

const selectorText = (value: unknown): string =>
  orNone(
    isObject(value)
      ? Object.entries(value)
          .map(([key, one]) => `${key}=${String(one)}`)
          .join(',')
      : '',
  );

/** By storage key. Kinds that are not here show name and age. */
export const builtinColumns: { [storage: string]: Column[] } = {
  nodes: node,
  pods: pod,
  events: event,
  namespaces: [
    nameColumn,
    column('Status', 'Active or Terminating.', (object) => textAt(object, 'status', 'phase')),
    ageColumn,
  ],
  configmaps: [
    nameColumn,
    column('Data', 'Number of entries.', (object) => sizeOf(object.data) + sizeOf(object.binaryData)),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    column('Type', 'Type of the secret.', (object) => textAt(object, 'type')),
    column('Data', 'Number of entries.', (object) => sizeOf(object.data)),
    ageColumn,
  ],
  serviceaccounts: [
    nameColumn,
    column('Secrets', 'Number of secrets.', (object) => listAt(object, 'secrets').length),
    ageColumn,
  ],
  'poddisruptionbudgets.policy': [
    nameColumn,
    column(
      'Min Available',
      'Pods that must remain available.',
      (object) => textAt(object, 'spec', 'minAvailable') || 'N/A',
    ),
    column(
      'Max Unavailable',
      'Pods that may be unavailable.',
      (object) => textAt(object, 'spec', 'maxUnavailable') || 'N/A',
    ),
    column('Allowed Disruptions', 'Evictions allowed now.', count('status', 'disruptionsAllowed'), 'integer'),
    ageColumn,
  ],
  'leases.coordination.k8s.io': [
    nameColumn,
    column('Holder', 'Holder of the lease.', (object) => textAt(object, 'spec', 'holderIdentity')),
    ageColumn,
  ],
  'volumeattachments.storage.k8s.io': [
    nameColumn,
    column('Attacher', 'Volume driver.', (object) => textAt(object, 'spec', 'attacher')),
    column('PV', 'Volume.', (object) => textAt(object, 'spec', 'source', 'persistentVolumeName')),
    column('Node', 'Node that it is attached to.', (object) => textAt(object, 'spec', 'nodeName')),
    column(
      'Attached',
      'Whether it is attached.',
      (object) => fieldAt(object, 'status', 'attached') === true,
      'boolean',
    ),
    ageColumn,
  ],
  'daemonsets.apps': [
    nameColumn,
    column('Desired', 'Nodes that should run it.', count('status', 'desiredNumberScheduled'), 'integer'),
    column('Current', 'Nodes that run it.', count('status', 'currentNumberScheduled'), 'integer'),
    column('Ready', 'Nodes where it is ready.', count('status', 'numberReady'), 'integer'),
    column('Up-to-date', 'Nodes that run the newest version.', count('status', 'updatedNumberScheduled'), 'integer'),
    column('Available', 'Nodes where it is available.', count('status', 'numberAvailable'), 'integer'),
    column('Node Selector', 'Selector of the nodes.', (object) =>
      selectorText(fieldAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
    ),
    ageColumn,
  ],
  'customresourcedefinitions.apiextensions.k8s.io': [
    nameColumn,
    column('Created At', 'When it was created.', (object) => object.metadata.creationTimestamp),
  ],
};
