/** An EC2 instance: what is kept of it, how its state follows from its times, and how EC2 shows it. */
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import type { InstanceRecord, LedgerEntry } from '../cloud/instance.ts';
import { toLedger as recordToLedger } from '../cloud/instance.ts';
import type { Account, CapacityReservation, Subnet } from './account.ts';
import type { Architecture } from './types.ts';
import { tagSet, time, type Xml } from './wire/xml.ts';

export interface Ec2Instance {
  id: string;
  /** The kubelet's view of it; its id is the private DNS name, which is also that of the Node. */
  record: InstanceRecord;
  arch: Architecture;
  imageId: string;
  subnet: Subnet;
  securityGroups: readonly string[];
  profileArn: string | undefined;
  privateIp: string;
  tags: Record<string, string>;
  fleetId: string;
  reservation: CapacityReservation | undefined;
  detailedMonitoring: boolean;
  userData: string;
  endReason: { code: string; message: string } | undefined;
  /** Its spot warning was given. */
  warned: boolean;
}

export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated';

const stateCodes: Record<InstanceState, number> = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48 };

export function stateAt({ record }: Ec2Instance, at: number): InstanceState {
  if (record.goneAt !== null && record.goneAt <= at) return 'terminated';
  if (record.deletingAt !== null && record.deletingAt <= at) return 'shutting-down';
  return record.runningAt !== null && record.runningAt <= at ? 'running' : 'pending';
}

export const stateXml = (state: InstanceState): Xml => ({ code: stateCodes[state], name: state });

export function instanceXml(instance: Ec2Instance, account: Account, at: number): Xml {
  const { record, subnet, reservation, endReason } = instance;
  const state = stateAt(instance, at);
  // An ended instance has lost its addresses and its networks.
  const ended = state === 'terminated';
  return {
    instanceId: instance.id,
    imageId: instance.imageId,
    instanceState: stateXml(state),
    privateDnsName: ended ? '' : record.id,
    dnsName: '',
    reason: endReason === undefined || at < (record.deletingAt ?? 0) ? '' : endReason.message,
    amiLaunchIndex: 0,
    instanceType: record.request.instanceType,
    launchTime: time(record.createdAt),
    placement: {
      availabilityZone: subnet.zone.name,
      availabilityZoneId: subnet.zone.id,
      groupName: '',
      tenancy: 'default',
    },
    monitoring: { state: instance.detailedMonitoring ? 'enabled' : 'disabled' },
    ...(ended ? {} : { subnetId: subnet.id, vpcId: account.vpc, privateIpAddress: instance.privateIp }),
    groupSet: ended ? [] : instance.securityGroups.map((groupId) => ({ groupId, groupName: groupId })),
    architecture: instance.arch,
    rootDeviceType: 'ebs',
    rootDeviceName: '/dev/xvda',
    virtualizationType: 'hvm',
    hypervisor: 'xen',
    enaSupport: true,
    ebsOptimized: true,
    // An instant fleet gives its instances a token of its own, not the caller's.
    clientToken: `fleet-${instance.fleetId.slice(6)}-0`,
    ...(record.request.capacityType === 'spot'
      ? { instanceLifecycle: 'spot', spotInstanceRequestId: `sir-${instance.id.slice(-8)}` }
      : {}),
    ...(reservation === undefined ? {} : { capacityReservationId: reservation.id }),
    ...(instance.profileArn === undefined || ended
      ? {}
      : { iamInstanceProfile: { arn: instance.profileArn, id: 'AIPAEXAMPLENODES' } }),
    tagSet: tagSet(instance.tags),
    ...(endReason === undefined || at < (record.deletingAt ?? 0) ? {} : { stateReason: endReason }),
    metadataOptions: { state: 'applied', httpTokens: 'required', httpEndpoint: 'enabled', httpPutResponseHopLimit: 1 },
  };
}

/** One line of the ledger: an instance's id there is that of EC2. */
export const toLedger = (instance: Ec2Instance): LedgerEntry => ({
  ...recordToLedger(instance.record),
  id: instance.id,
  token: instance.record.request.token ?? null,
  claimUid: instance.tags[tagKeys.claimUid] ?? null,
});
