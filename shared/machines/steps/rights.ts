/** What virtual machines take in a cluster. Secrets with user data are read by their names: the right to that is given with each Secret. */
import type { Right } from '../../kube/rights.ts';
import { machineGroup, machineKinds } from '../api/kinds.ts';

const of = (resource: string, verbs: Right['verbs'], why: string): Right => ({
  group: machineGroup,
  resource,
  verbs,
  why,
});
const { virtualMachine, provider, class: vmClass, image, network, placement, set, snapshot } = machineKinds;

export const machineRights: readonly Right[] = [
  of(
    virtualMachine.plural,
    ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    'reads machines and writes their finalizer and record; creates those that are adopted; creates and deletes those of sets',
  ),
  of(`${virtualMachine.plural}/status`, ['patch'], 'writes conditions, id, addresses and power state'),
  of(provider.plural, ['get', 'list'], 'reads which provider a machine is at'),
  of(`${provider.plural}/status`, ['patch'], 'writes how many machines were adopted'),
  of(vmClass.plural, ['get', 'list', 'create'], 'reads sizes; creates those of adopted machines'),
  of(image.plural, ['get', 'patch'], 'reads images, and notes their preparation'),
  of(`${image.plural}/status`, ['patch'], 'writes whether an image is prepared'),
  of(set.plural, ['get', 'list'], 'reads how many machines a set keeps'),
  of(`${set.plural}/status`, ['patch'], 'writes how many there are'),
  of(snapshot.plural, ['get', 'list', 'watch', 'patch'], 'reads snapshots and writes their finalizer and record'),
  of(`${snapshot.plural}/status`, ['patch'], 'writes the id of a snapshot, and its conditions'),
  of(network.plural, ['get'], 'reads networks'),
  of(placement.plural, ['get'], 'reads where machines may be'),
];
