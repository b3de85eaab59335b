/** The built-in kinds that the simulated cluster serves. */

import { isObject } from '../../../shared/base/json.ts';
import { type Draft, fieldAt, type Resource, storageKey, textAt } from '../types.ts';
import { builtinColumns } from './builtin-columns.ts';
import { validateBudget, validateEvent, validateLease } from './builtin-rules.ts';
import { builtinSchemas, kindSchema } from './builtin-schemas.ts';
import { ageColumn, nameColumn } from './columns.ts';
import { validateNode, validateNodeUpdate } from './node-rules.ts';

type Given = Pick<Resource, 'plural' | 'kind'> & Partial<Resource>;

const metadataListKeys = { 'metadata.finalizers': [], 'metadata.ownerReferences': ['uid'] };

function builtin(given: Given): Resource {
  const storage = storageKey({ group: given.group ?? '', plural: given.plural });
  return {
    group: '',
    version: 'v1',
    singular: given.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    statusSubresource: false,
    statusMayChangeMetadata: true,
    hasGeneration: false,
    allowUnconditionalUpdate: true,
    createOnUpdate: false,
    returnsDeletedObject: false,
    custom: false,
    schema: builtinSchemas[storage] ?? kindSchema('', {}),
    columns: builtinColumns[storage] ?? [nameColumn, ageColumn],
    selectableFields: {},
    ...given,
    listKeys: { ...metadataListKeys, ...given.listKeys },
  };
}

function dropStatus(draft: Draft): void {
  delete draft.status;
}

const eventFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

export const builtinResources: Resource[] = [
  builtin({
    plural: 'nodes',
    kind: 'Node',
    shortNames: ['no'],
    namespaced: false,
    statusSubresource: true,
    selectableFields: { 'spec.unschedulable': (object) => textAt(object, 'spec', 'unschedulable') || 'false' },
    // Taints have no merge keys: a patch replaces the whole list, as on a real server.
    listKeys: {
      'spec.podCIDRs': [],
      'status.conditions': ['type'],
      'status.addresses': ['type'],
    },
    validate: validateNode,
    validateUpdate: validateNodeUpdate,
  }),
  builtin({
    plural: 'pods',
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    statusSubresource: true,
    hasGeneration: true,
    returnsDeletedObject: true,
    selectableFields: {
      'spec.nodeName': (object) => textAt(object, 'spec', 'nodeName'),
      'spec.restartPolicy': (object) => textAt(object, 'spec', 'restartPolicy'),
      'spec.schedulerName': (object) => textAt(object, 'spec', 'schedulerName'),
      'spec.serviceAccountName': (object) => textAt(object, 'spec', 'serviceAccountName'),
      'spec.hostNetwork': (object) => textAt(object, 'spec', 'hostNetwork') || 'false',
      'status.phase': (object) => textAt(object, 'status', 'phase'),
      'status.podIP': (object) => textAt(object, 'status', 'podIP'),
      'status.nominatedNodeName': (object) => textAt(object, 'status', 'nominatedNodeName'),
    },
    listKeys: {
      'spec.containers': ['name'],
      'spec.initContainers': ['name'],
      'spec.volumes': ['name'],
      'spec.containers.env': ['name'],
      'spec.imagePullSecrets': ['name'],
      'status.conditions': ['type'],
      'status.podIPs': ['ip'],
    },
    prepareForCreate: (draft) => {
      draft.status = { phase: 'Pending', qosClass: 'BestEffort' };
      const spec = draft.spec;
      if (!isObject(spec)) return;
      spec.restartPolicy ??= 'Always';
      spec.terminationGracePeriodSeconds ??= 30;
      spec.schedulerName ??= 'default-scheduler';
    },
  }),
  builtin({
    plural: 'namespaces',
    kind: 'Namespace',
    shortNames: ['ns'],
    namespaced: false,
    statusSubresource: true,
    selectableFields: { 'status.phase': (object) => textAt(object, 'status', 'phase') },
    listKeys: { 'status.conditions': ['type'] },
    prepareForCreate: (draft) => {
      draft.spec = { finalizers: ['kubernetes'] };
      draft.status = { phase: 'Active' };
      const labels = isObject(draft.metadata.labels) ? draft.metadata.labels : {};
      const name = textAt(draft, 'metadata', 'name');
      if (name !== '') draft.metadata.labels = { ...labels, 'kubernetes.io/metadata.name': name };
    },
  }),
  builtin({
    plural: 'events',
    kind: 'Event',
    shortNames: ['ev'],
    createOnUpdate: true,
    validate: validateEvent,
    selectableFields: {
      ...Object.fromEntries(
        eventFields.map((field) => [
          `involvedObject.${field}`,
          (object: Parameters<typeof textAt>[0]) => textAt(object, 'involvedObject', field),
        ]),
      ),
      reason: (object) => textAt(object, 'reason'),
      reportingComponent: (object) => textAt(object, 'reportingComponent'),
      source: (object) => textAt(object, 'source', 'component') || textAt(object, 'reportingComponent'),
      type: (object) => textAt(object, 'type'),
    },
  }),
  builtin({ plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] }),
  builtin({
    plural: 'secrets',
    kind: 'Secret',
    selectableFields: { type: (object) => textAt(object, 'type') },
    prepareForCreate: (draft) => {
      if (textAt(draft, 'type') === '') draft.type = 'Opaque';
    },
  }),
  builtin({
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    shortNames: ['sa'],
    returnsDeletedObject: true,
    listKeys: { secrets: ['name'], imagePullSecrets: ['name'] },
  }),
  builtin({
    plural: 'services',
    kind: 'Service',
    shortNames: ['svc'],
    categories: ['all'],
    statusSubresource: true,
    returnsDeletedObject: true,
  }),
  builtin({
    group: 'policy',
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    statusSubresource: true,
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    listKeys: { 'status.conditions': ['type'] },
    validate: validateBudget,
    prepareForCreate: (draft) => {
      draft.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
    },
  }),
  builtin({
    group: 'coordination.k8s.io',
    plural: 'leases',
    kind: 'Lease',
    allowUnconditionalUpdate: false,
    createOnUpdate: true,
    validate: validateLease,
  }),
  builtin({
    group: 'storage.k8s.io',
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    namespaced: false,
    statusSubresource: true,
    allowUnconditionalUpdate: false,
    returnsDeletedObject: true,
    prepareForCreate: (draft) => {
      draft.status = { attached: false };
    },
  }),
  builtin({
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    shortNames: ['pvc'],
    statusSubresource: true,
  }),
  builtin({
    plural: 'persistentvolumes',
    kind: 'PersistentVolume',
    shortNames: ['pv'],
    namespaced: false,
    statusSubresource: true,
  }),
  builtin({
    group: 'scheduling.k8s.io',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    shortNames: ['pc'],
    namespaced: false,
    hasGeneration: true,
  }),
  builtin({
    group: 'apps',
    plural: 'deployments',
    kind: 'Deployment',
    shortNames: ['deploy'],
    categories: ['all'],
    statusSubresource: true,
    hasGeneration: true,
    listKeys: { 'status.conditions': ['type'], 'spec.template.spec.containers': ['name'] },
    prepareForCreate: (draft) => {
      draft.status = {};
    },
  }),
  builtin({
    group: 'apps',
    plural: 'daemonsets',
    kind: 'DaemonSet',
    shortNames: ['ds'],
    categories: ['all'],
    statusSubresource: true,
    hasGeneration: true,
    listKeys: { 'status.conditions': ['type'], 'spec.template.spec.containers': ['name'] },
    prepareForCreate: (draft) => {
      draft.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
    },
  }),
  builtin({
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    namespaced: false,
    statusSubresource: true,
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    listKeys: { 'status.conditions': ['type'] },
    prepareForCreate: (draft) => {
      dropStatus(draft);
      const names = fieldAt(draft, 'spec', 'names');
      if (!isObject(names)) return;
      names.singular ??= textAt(names, 'kind').toLowerCase();
      names.listKind ??= `${textAt(names, 'kind')}List`;
    },
  }),
];
