/**
 * What a VM was made of, as one short text in a tag of its own: where CloudStack shows something else by now, a person has changed it.
 * The fields that came later have names, so a text without them is read too and says nothing of them.
 */
import { fingerprint } from '../../../base/fingerprint.ts';
import type { Tags } from './ownership.ts';
import type { Vm } from './vm.ts';

/** What a person may change by hand, and what makes it another machine than was asked for. */
export interface Build {
  offeringId: string;
  templateId: string;
  networkIds: readonly string[];
  /** Of offerings whose size is chosen with each VM. */
  size?: { cpus: number; memoryMiB: number };
  /** Of the node class. */
  tags?: Tags;
  /** Base64, as it was sent. Absent: CloudStack may make something else of it, and what it shows first counts. */
  userData?: string;
}

export interface MadeOf {
  offeringId: string;
  templateId: string;
  /** A hash, as the following are. */
  networks: string;
  size?: string;
  tags?: string;
  userData?: string;
}

/** Whatever their order: CloudStack shows network interfaces in one of its own. */
const networksHash = (ids: readonly string[]): string => fingerprint([...ids].sort());

export const tagsHash = (tags: Tags): string => fingerprint(tags);

/** Of the bytes: base64 is written in more than one way. */
export const userDataHash = (base64: string): string => fingerprint(Buffer.from(base64, 'base64').toString('base64'));

const sizePattern = /^\d+x\d+$/;

export const buildHash = ({ offeringId, templateId, networkIds, size, tags, userData }: Build): string =>
  [
    offeringId,
    templateId,
    networksHash(networkIds),
    ...(size === undefined ? [] : [`${size.cpus}x${size.memoryMiB}`]),
    ...(tags === undefined ? [] : [`tags=${tagsHash(tags)}`]),
    ...(userData === undefined ? [] : [`data=${userDataHash(userData)}`]),
  ].join(' ');

/** Undefined: nothing says it. */
export function readMadeOf(text: string | undefined): MadeOf | undefined {
  const [offeringId, templateId, networks, ...more] = text?.split(' ') ?? [];
  if (!offeringId || !templateId || !networks) return undefined;
  const size = more.find((one) => sizePattern.test(one));
  const named = new Map(more.map((one) => one.split('=', 2) as [string, string | undefined]));
  const [tags, userData] = [named.get('tags'), named.get('data')];
  return {
    offeringId,
    templateId,
    networks,
    ...(size === undefined ? {} : { size }),
    ...(tags === undefined ? {} : { tags }),
    ...(userData === undefined ? {} : { userData }),
  };
}

/** What differs from the text that was written when the VM was made, in words; undefined where nothing does. */
export function changedByHand(vm: Vm, text: string | undefined, more: readonly string[] = []): string | undefined {
  const changes = [...changesOf(vm, readMadeOf(text)), ...more];
  return changes.length === 0 ? undefined : changes.join(', ');
}

function changesOf(vm: Vm, made: MadeOf | undefined): string[] {
  if (made === undefined) return [];
  const { offeringId, templateId, networks, size } = made;
  return [
    vm.offeringId !== '' && vm.offeringId !== offeringId ? `service offering (${vm.offeringName})` : undefined,
    vm.templateId !== '' && vm.templateId !== templateId ? 'template' : undefined,
    vm.networks.length > 0 && networksHash(vm.networks.map(({ id }) => id)) !== networks ? 'networks' : undefined,
    size !== undefined && vm.cpus !== undefined && vm.memoryMiB !== undefined && `${vm.cpus}x${vm.memoryMiB}` !== size
      ? `size (${vm.cpus} CPUs, ${vm.memoryMiB} MiB)`
      : undefined,
  ].filter((change) => change !== undefined);
}
