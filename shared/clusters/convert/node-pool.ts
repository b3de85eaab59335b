/** NodePool of v1beta1 as v1. */
import { asObject } from '../../base/json.ts';
import { quoteInput } from '../../base/problems.ts';
import type { Converted, Fields, Note, Notes } from './note.ts';

export const nodePoolApiVersion = 'karpenter.sh/v1';
/** The group that a v1beta1 pool could leave out. */
const nodeClassKind = { group: 'karpenter.azure.com', kind: 'AKSNodeClass' };
const instanceType = 'node.kubernetes.io/instance-type';

/** Fields of a kubelet that AKSNodeClass has too. */
const kubeletFields = [
  'cpuCFSQuota',
  'cpuCFSQuotaPeriod',
  'cpuManagerPolicy',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'topologyManagerPolicy',
  'allowedUnsafeSysctls',
  'containerLogMaxSize',
  'containerLogMaxFiles',
  'podPidsLimit',
];

export interface ConvertedNodePool extends Converted {
  /** What its node class should take over. */
  kubelet: Fields;
  maxPods?: number;
}

export function convertNodePool(given: Fields): ConvertedNodePool {
  const notes: Note[] = [];
  const note: Notes = (kind, field, text) => void notes.push({ kind, field, text });
  const { status: _, ...object } = structuredClone(given);
  if (given.apiVersion !== nodePoolApiVersion) {
    note('changed', 'apiVersion', `${quoteInput(given.apiVersion)} is no longer served: now ${nodePoolApiVersion}`);
    object.apiVersion = nodePoolApiVersion;
  }
  const spec = asObject(object.spec) ?? {};
  const template = asObject(spec.template) ?? {};
  const node = asObject(template.spec) ?? {};
  convertReference(node, note);
  convertDisruption(spec, node, note);
  const kubelet = takeKubelet(node, note);
  if (node.resources !== undefined) {
    delete node.resources;
    note('removed', 'spec.template.spec.resources', 'Karpenter computes the resources of a node from its pods');
  }
  adviseOnTaints(template, node, note);
  adviseOnSizes(node, note);
  return { object, notes, ...kubelet };
}

function convertReference(node: Fields, note: Notes): void {
  const field = 'spec.template.spec.nodeClassRef';
  const ref = asObject(node.nodeClassRef);
  if (ref === undefined) {
    note('problem', field, 'is required; name the node class with group, kind and name');
    return;
  }
  if (ref.group !== undefined && ref.apiVersion === undefined) return;
  const { apiVersion, ...rest } = ref;
  const group =
    ref.group ??
    (typeof apiVersion === 'string' && apiVersion.includes('/')
      ? apiVersion.split('/')[0]
      : ref.kind === nodeClassKind.kind
        ? nodeClassKind.group
        : undefined);
  if (group === undefined) {
    note('problem', `${field}.group`, 'is required; it is the API group of the node class');
    return;
  }
  const kind = ref.kind ?? (group === nodeClassKind.group ? nodeClassKind.kind : undefined);
  node.nodeClassRef = { group, ...(kind === undefined ? {} : { kind }), ...rest };
  const instead = apiVersion === undefined ? 'it was missing' : `it replaces apiVersion ${quoteInput(apiVersion)}`;
  if (ref.group === undefined) note('changed', `${field}.group`, `now ${String(group)}: ${instead}`);
  else note('removed', `${field}.apiVersion`, 'group replaces it');
}

function convertDisruption(spec: Fields, node: Fields, note: Notes): void {
  const disruption = asObject(spec.disruption);
  if (disruption === undefined) return;
  if (disruption.expireAfter !== undefined) {
    const field = 'spec.disruption.expireAfter';
    if (node.expireAfter === undefined) {
      node.expireAfter = disruption.expireAfter;
      note('changed', field, 'moved to spec.template.spec.expireAfter');
    } else note('removed', field, 'spec.template.spec.expireAfter is set, and counts');
    delete disruption.expireAfter;
  }
  if (disruption.consolidationPolicy === 'WhenUnderutilized') {
    disruption.consolidationPolicy = 'WhenEmptyOrUnderutilized';
    note('changed', 'spec.disruption.consolidationPolicy', 'WhenUnderutilized is now WhenEmptyOrUnderutilized');
  }
  if (disruption.consolidateAfter === undefined) {
    disruption.consolidateAfter = '0s';
    note('changed', 'spec.disruption.consolidateAfter', 'is required now: 0s, which is what its absence meant');
  }
}

function takeKubelet(node: Fields, note: Notes): { kubelet: Fields; maxPods?: number } {
  const field = 'spec.template.spec.kubelet';
  const before = asObject(node.kubelet);
  if (before === undefined) return { kubelet: {} };
  delete node.kubelet;
  const kubelet: Fields = {};
  let maxPods: number | undefined;
  for (const [key, value] of Object.entries(before)) {
    if (key === 'maxPods' && typeof value === 'number') maxPods = value;
    else if (kubeletFields.includes(key)) kubelet[key] = value;
    else {
      note('removed', `${field}.${key}`, 'AKSNodeClass has no such field: AKS sets it');
      continue;
    }
    const there = key === 'maxPods' ? 'spec.maxPods' : `spec.kubelet.${key}`;
    note('changed', `${field}.${key}`, `belongs to ${there} of the AKSNodeClass`);
  }
  return maxPods === undefined ? { kubelet } : { kubelet, maxPods };
}

/** A pool for ordinary pods with a taint gets none of them. */
function adviseOnTaints(template: Fields, node: Fields, note: Notes): void {
  const taints = Array.isArray(node.taints) ? node.taints : [];
  const type = asObject(asObject(template.metadata)?.labels)?.['node-pool-type'];
  for (const [index, one] of taints.entries()) {
    const key = asObject(one as Fields)?.key;
    if (typeof key !== 'string' || (key !== type && key !== 'standard')) continue;
    const text =
      key === 'standard' || key.includes('{{')
        ? 'with the type standard, pods without a toleration run on none of its nodes; remove the taint there'
        : `only pods that tolerate ${key} run on its nodes`;
    note('advice', `spec.template.spec.taints[${index}]`, text);
  }
}

function adviseOnSizes(node: Fields, note: Notes): void {
  const requirements = Array.isArray(node.requirements) ? node.requirements : [];
  for (const [index, one] of requirements.entries()) {
    const requirement = asObject(one as Fields);
    const values = requirement?.values;
    if (
      requirement?.key !== instanceType ||
      requirement.operator !== 'In' ||
      !Array.isArray(values) ||
      values.length > 2
    )
      continue;
    const text = `${values.length} VM ${values.length === 1 ? 'size has' : 'sizes have'} no capacity at times; use karpenter.azure.com/sku-family and sku-version instead`;
    note('advice', `spec.template.spec.requirements[${index}]`, text);
  }
}

/** The sizes of a node class, where a pool does not name any. True if it was changed. */
export function addSizes(pool: Fields, sizes: readonly string[]): boolean {
  const node = asObject(asObject(asObject(pool.spec)?.template)?.spec);
  if (node === undefined || sizes.length === 0) return false;
  const requirements = Array.isArray(node.requirements) ? node.requirements : [];
  if (requirements.some((one) => asObject(one as Fields)?.key === instanceType)) return false;
  node.requirements = [...requirements, { key: instanceType, operator: 'In', values: [...sizes] }];
  return true;
}

export function nodeClassOf(pool: Fields): string | undefined {
  const ref = asObject(asObject(asObject(asObject(pool.spec)?.template)?.spec)?.nodeClassRef);
  return ref?.kind === 'AKSNodeClass' && typeof ref.name === 'string' ? ref.name : undefined;
}
