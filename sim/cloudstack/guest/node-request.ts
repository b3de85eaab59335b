/**
 * How a VM joins its cluster, read from its user data as the guest would run it. What is understood:
 *
 * - arguments of a kubelet, wherever they are: `--provider-id=`, `--node-labels=`, `--register-with-taints=`,
 *   `--hostname-override=` (also in KUBELET_EXTRA_ARGS);
 * - arguments of k3s and RKE2: `--node-label`, `--node-taint`, `--node-name`, `--kubelet-arg provider-id=…`;
 * - their config.yaml: `node-label`, `node-taint`, `node-name`, `kubelet-arg`;
 * - a JoinConfiguration of kubeadm: `nodeRegistration` with `name`, `taints` and `kubeletExtraArgs` in both of its shapes.
 *
 * The id of the VM comes from the metadata server or cloud-init, see `metadata.ts`:
 *
 *     VM_ID=$(curl -s http://data-server/latest/meta-data/instance-id)
 *     KUBELET_EXTRA_ARGS="--provider-id=cloudstack://zone-01/${VM_ID}"
 *
 * A placeholder in a file that cloud-init has written is filled by `sed -i "s|__VM_ID__|$VM_ID|" file`.
 */
import { parseAllDocuments } from 'yaml';
import { isObject } from '../../../shared/base/json.ts';
import type { Taint } from '../../../shared/nodes/claims/spec/types.ts';
import { flag, isEffect, labelsFrom, type NodeRequest, taintsFrom, uniqueTaints } from '../../kit/kubelet-flags.ts';
import { type GuestFacts, withMetadata, withSubstitutions } from './metadata.ts';
import { decodeUserData, textsIn } from './user-data.ts';

export interface GuestNode extends NodeRequest {
  providerID: string | undefined;
  /** The name of the VM unless something else is said. */
  name: string;
}

/** Undefined where nothing in the user data joins a cluster. */
export function guestNodeOf(encoded: string, facts: GuestFacts): GuestNode | undefined {
  const decoded = decodeUserData(encoded);
  if (decoded === undefined) return undefined;
  const node: GuestNode = { labels: {}, taints: [], providerID: undefined, name: facts.name };
  let said = false;
  const fill = (text: string): string => withMetadata(text, facts);
  const filled = textsIn(decoded, fill).map(fill);
  for (const text of withSubstitutions(filled)) {
    said = readFlags(text, node) || said;
    said = readDocuments(text, node) || said;
  }
  node.taints = uniqueTaints(node.taints);
  return said ? node : undefined;
}

function readFlags(text: string, node: GuestNode): boolean {
  const given = new Map<string, string[]>();
  const all = (name: string): string[] => {
    const found = flag(text, name);
    if (found.length > 0) given.set(name, found);
    return found;
  };
  for (const labels of [...all('node-labels'), ...all('node-label')]) Object.assign(node.labels, labelsFrom(labels));
  for (const taints of [...all('register-with-taints'), ...all('node-taint')]) node.taints.push(...taintsFrom(taints));
  for (const argument of all('kubelet-arg')) readArgument(argument, node);
  node.providerID = all('provider-id').at(-1) ?? node.providerID;
  node.name = (all('hostname-override').at(-1) ?? all('node-name').at(-1))?.toLowerCase() ?? node.name;
  return given.size > 0;
}

/** `provider-id=…`, as k3s hands it to its kubelet. */
function readArgument(text: string, node: GuestNode): void {
  const [, name = '', value = ''] = /^-{0,2}([\w-]+)=(.*)$/s.exec(text) ?? [];
  if (name === 'provider-id') node.providerID = value;
  if (name === 'hostname-override') node.name = value;
  if (name === 'node-labels') Object.assign(node.labels, labelsFrom(value));
  if (name === 'register-with-taints') node.taints.push(...taintsFrom(value));
}

/** Documents of YAML; a script and a cloud-config are none that matter here. */
function readDocuments(text: string, node: GuestNode): boolean {
  if (!/^\s*(node-label|node-taint|kubelet-arg|nodeRegistration)\+?:/m.test(text)) return false;
  let said = false;
  for (const document of parseAllDocuments(text, { logLevel: 'silent' })) {
    const config: unknown = document.errors.length === 0 ? document.toJS() : undefined;
    if (!isObject(config)) continue;
    said = readAgentConfig(config, node) || said;
    if (isObject(config.nodeRegistration)) {
      readRegistration(config.nodeRegistration, node);
      said = true;
    }
  }
  return said;
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).filter((one) => typeof one === 'string');

function readAgentConfig(config: Record<string, unknown>, node: GuestNode): boolean {
  const of = (name: string): string[] => [...texts(config[name]), ...texts(config[`${name}+`])];
  const labels = of('node-label');
  const taints = of('node-taint');
  const args = of('kubelet-arg');
  for (const label of labels) Object.assign(node.labels, labelsFrom(label));
  for (const taint of taints) node.taints.push(...taintsFrom(taint));
  for (const argument of args) readArgument(argument, node);
  const [name] = of('node-name');
  if (name !== undefined) node.name = name;
  return labels.length + taints.length + args.length > 0;
}

function readRegistration(registration: Record<string, unknown>, node: GuestNode): void {
  const { name, taints, kubeletExtraArgs } = registration;
  if (typeof name === 'string') node.name = name;
  if (Array.isArray(taints)) node.taints.push(...(taints as unknown[]).flatMap(taintIn));
  if (Array.isArray(kubeletExtraArgs)) {
    for (const one of kubeletExtraArgs as unknown[]) {
      if (isObject(one) && typeof one.name === 'string') readArgument(`${one.name}=${String(one.value)}`, node);
    }
  } else if (isObject(kubeletExtraArgs)) {
    for (const [key, value] of Object.entries(kubeletExtraArgs)) readArgument(`${key}=${String(value)}`, node);
  }
}

function taintIn(one: unknown): Taint[] {
  if (!isObject(one) || typeof one.key !== 'string' || !isEffect(one.effect)) return [];
  const { key, effect, value } = one;
  return [{ key, effect, ...(typeof value === 'string' && value !== '' ? { value } : {}) }];
}
