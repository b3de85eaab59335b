/** The network: fields that contradict each other, and what node auto-provisioning does not work with. */
import { quoteInput } from '../../base/problems.ts';
import type { ClusterRequest } from '../request/request.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { contains, isAddressOrRange, isCidr, overlap } from './addresses.ts';
import type { Report } from './finding.ts';

const subnet =
  /^\/subscriptions\/[^/]+\/resourceGroups\/[-\w.()]{0,89}[-\w()]\/providers\/Microsoft\.Network\/virtualNetworks\/[^/]+\/subnets\/[^/]+$/i;
const zone = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.Network\/privateDnsZones\/[^/]+$/i;

export function checkNetwork({ spec }: ClusterRequest, resolved: Resolved, report: Report): void {
  const { network, nodes } = resolved;
  const wrong = (name: string, cause: string, fix: string): void =>
    report('error', 'NetworkInvalid', `spec.network.${name}`, cause, fix);

  for (const name of ['subnetID', 'podSubnetID'] as const) {
    const id = network[name];
    if (id !== undefined && !subnet.test(id)) {
      const shape = '/subscriptions/…/resourceGroups/…/providers/Microsoft.Network/virtualNetworks/…/subnets/…';
      wrong(name, `${quoteInput(id)} is not the ARM id of a subnet`, `write it as ${shape}`);
    }
  }
  if (nodes === 'nap') checkForNap(resolved, report);
  if (network.pluginMode === 'overlay' && network.plugin !== 'azure') {
    wrong(
      'pluginMode',
      `the overlay needs the plugin azure, not ${network.plugin}`,
      'remove pluginMode, or set plugin: azure',
    );
  }
  if (network.podSubnetID !== undefined) {
    if (network.pluginMode === 'overlay') {
      wrong('podSubnetID', 'pods in an overlay have no subnet', 'remove podSubnetID, or remove pluginMode: overlay');
    }
    if (network.subnetID === undefined) {
      wrong(
        'podSubnetID',
        'a subnet for pods needs a subnet for nodes too',
        'set subnetID to one of the same virtual network',
      );
    }
  }
  if (network.dataplane === 'cilium' && network.plugin !== 'azure') {
    wrong(
      'dataplane',
      `Cilium needs the plugin azure, not ${network.plugin}`,
      'remove dataplane, or set plugin: azure',
    );
  }
  if ((network.policy === 'cilium') !== (network.dataplane === 'cilium')) {
    const cause = `policy ${network.policy ?? 'none'} and dataplane ${network.dataplane ?? 'azure'} do not go together`;
    wrong(spec.network?.policy === undefined ? 'dataplane' : 'policy', cause, 'set both to cilium, or neither');
  }
  if (network.plugin !== 'azure' && network.policy === 'azure') {
    wrong('policy', `policy azure needs the plugin azure, not ${network.plugin}`, 'use calico or none');
  }
  if (network.podCidr !== undefined && network.plugin === 'azure' && network.pluginMode !== 'overlay') {
    wrong(
      'podCidr',
      'pods get addresses of a subnet without the overlay',
      'remove podCidr, or set pluginMode: overlay',
    );
  }
  checkAddresses(resolved, wrong);
  if (network.private && (network.authorizedIPRanges?.length ?? 0) > 0) {
    wrong(
      'authorizedIPRanges',
      'a private API server has no public address to protect',
      'remove it, or remove private',
    );
  }
  checkPrivateZone(resolved, wrong);
  const { outboundType } = network;
  if (
    (outboundType === 'userDefinedRouting' || outboundType === 'userAssignedNATGateway') &&
    network.subnetID === undefined
  ) {
    wrong('outboundType', `${outboundType} needs a subnet of yours, with the route or the gateway`, 'set subnetID');
  }
}

type Wrong = (name: string, cause: string, fix: string) => void;

function checkAddresses({ network }: Resolved, wrong: Wrong): void {
  const { podCidr, serviceCidr, dnsServiceIP } = network;
  const goodPods = podCidr === undefined || isCidr(podCidr);
  const goodServices = serviceCidr === undefined || isCidr(serviceCidr);
  const fix = 'write it as 10.0.0.0/16';
  if (!goodPods) wrong('podCidr', `${quoteInput(podCidr)} is not a range of IPv4 addresses`, fix);
  if (!goodServices) wrong('serviceCidr', `${quoteInput(serviceCidr)} is not a range of IPv4 addresses`, fix);
  if (podCidr !== undefined && serviceCidr !== undefined && goodPods && goodServices && overlap(podCidr, serviceCidr)) {
    wrong('serviceCidr', `${serviceCidr} overlaps podCidr ${podCidr}`, 'use ranges that do not overlap');
  }
  if (dnsServiceIP !== undefined) {
    if (serviceCidr === undefined)
      wrong('dnsServiceIP', 'it must be in serviceCidr, which is not set', 'set serviceCidr too');
    else if (goodServices && !contains(serviceCidr, dnsServiceIP)) {
      wrong(
        'dnsServiceIP',
        `${quoteInput(dnsServiceIP)} is not in ${serviceCidr}`,
        'use an address of it, other than the first two',
      );
    }
  } else if (serviceCidr !== undefined) {
    wrong(
      'dnsServiceIP',
      'AKS needs it together with serviceCidr',
      'set it to an address of serviceCidr, usually the tenth',
    );
  }
  for (const [index, range] of (network.authorizedIPRanges ?? []).entries()) {
    if (!isAddressOrRange(range)) {
      wrong(
        `authorizedIPRanges[${index}]`,
        `${quoteInput(range)} is not an address or a range of addresses`,
        'write it as 203.0.113.0/24',
      );
    }
  }
}

function checkPrivateZone({ network }: Resolved, wrong: Wrong): void {
  const { privateDNSZone } = network;
  if (privateDNSZone === undefined) return;
  if (!network.private) wrong('privateDNSZone', 'only a private cluster has one', 'remove it, or set private: true');
  if (privateDNSZone !== 'system' && privateDNSZone !== 'none' && !zone.test(privateDNSZone)) {
    wrong(
      'privateDNSZone',
      `${quoteInput(privateDNSZone)} is not a private DNS zone`,
      'use system, none, or the ARM id of a zone',
    );
  }
}

/** What AKS refuses together with node auto-provisioning. */
function checkForNap({ network }: Resolved, report: Report): void {
  const refused = (name: string, what: string): void =>
    report(
      'error',
      'NapNetworkUnsupported',
      `spec.network.${name}`,
      `node auto-provisioning does not work with ${what}`,
      'use plugin azure with the overlay, or set nodes: agentPools',
    );
  if (network.plugin !== 'azure') refused('plugin', `the plugin ${network.plugin}`);
  if (network.policy === 'calico') refused('policy', 'the policy calico');
  if (network.podSubnetID !== undefined) refused('podSubnetID', 'pods that get addresses of their own subnet');
}
