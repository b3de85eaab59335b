/** AKSNodeClass of v1alpha2, also with fields that were never in it but are written in many places, as v1beta1. */
import { asObject } from '../../base/json.ts';
import { quoteInput } from '../../base/problems.ts';
import type { Converted, Fields, Note, Notes } from './note.ts';

export const nodeClassApiVersion = 'karpenter.azure.com/v1beta1';

const known = [
  'imageFamily',
  'fipsMode',
  'tags',
  'kubelet',
  'maxPods',
  'osDiskSizeGB',
  'vnetSubnetID',
  'security',
  'localDNS',
  'gpu',
  'artifactStreaming',
  'linuxOSConfig',
];

/** Without a successor, each with what to do instead. */
const gone: ReadonlyMap<string, string> = new Map([
  ['location', 'nodes are in the location of their cluster; remove it'],
  ['resourceGroup', 'nodes are in the node resource group of their cluster; remove it'],
  [
    'subnetName',
    'set vnetSubnetID to the full ARM id of the subnet; without it, nodes use the default subnet of the cluster',
  ],
  ['userData', 'AKS runs no scripts of users on its nodes; use a DaemonSet'],
  ['imageVersion', 'AKS chooses the version of the image; remove it'],
]);

const leastDisk = 30;
const mostDisk = 2048;

export interface ConvertedNodeClass extends Converted {
  /** Sizes that the class named: they belong into the requirements of its pools. */
  instanceTypes: readonly string[];
}

export function convertNodeClass(given: Fields): ConvertedNodeClass {
  const notes: Note[] = [];
  const note: Notes = (kind, field, text) => void notes.push({ kind, field, text });
  const { status: _, ...object } = structuredClone(given);
  if (given.apiVersion !== nodeClassApiVersion) {
    note('changed', 'apiVersion', `${quoteInput(given.apiVersion)} is deprecated: now ${nodeClassApiVersion}`);
    object.apiVersion = nodeClassApiVersion;
  }
  const before = asObject(object.spec) ?? {};
  const spec: Fields = {};
  let instanceTypes: string[] = [];
  for (const [key, value] of Object.entries(before)) {
    const field = `spec.${key}`;
    if (key === 'instanceTypes') {
      instanceTypes = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
      note('changed', field, 'moved to the requirement node.kubernetes.io/instance-type of the NodePools of the class');
    } else if (key === 'osDisk') convertDisk(asObject(value) ?? {}, spec, note);
    else if (known.includes(key)) spec[key] = value;
    else note('removed', field, gone.get(key) ?? 'there is no such field in any version; the API server drops it');
  }
  object.spec = spec;
  return { object, notes, instanceTypes };
}

function convertDisk(disk: Fields, spec: Fields, note: Notes): void {
  for (const [key, value] of Object.entries(disk)) {
    const field = `spec.osDisk.${key}`;
    if (/^sizeGi?b$/i.test(key)) {
      const size = Number(value);
      if (!Number.isInteger(size) || size < leastDisk || size > mostDisk) {
        note(
          'problem',
          field,
          `${quoteInput(value)} is not a size between ${leastDisk} and ${mostDisk}; set spec.osDiskSizeGB`,
        );
        continue;
      }
      note('changed', field, `now spec.osDiskSizeGB: ${size}`);
      spec.osDiskSizeGB = size;
    } else if (key === 'type') {
      const how =
        'to require an ephemeral one, use the requirement karpenter.azure.com/sku-storage-ephemeralos-maxsize of the NodePool';
      note('removed', field, `the disk is ephemeral where the size allows, and managed otherwise; ${how}`);
    } else note('removed', field, 'there is no such field in any version; the API server drops it');
  }
}
