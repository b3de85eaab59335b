/**
 * The content of a launch template. Its name is a hash of everything in it, so the same content is the same template,
 * whoever makes it and however often; nothing in it differs between claims that could share it.
 */

import type {
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { defined } from '../../../base/defined.ts';
import { nodeCrypto } from '../../../base/node-modules.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Taint } from '../../../nodes/claims/spec/types.ts';
import { blockDeviceRequests } from './block-devices.ts';
import type { Ec2Cluster, ResolvedAmi, ResolvedEc2Class } from './resolved.ts';
import { userDataFor } from './user-data/user-data.ts';

export interface TemplateInput {
  cluster: Ec2Cluster;
  /** Whose template it is: deployments that share an account don't share templates, so that each may delete its own. */
  owner: string;
  ami: ResolvedAmi;
  /** What kubelets register with: the same for all claims of a pool. */
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  /** Only where the node would not come to the same number by itself (`podsToTell`). */
  maxPods?: number | undefined;
  /** For machines of a capacity reservation, and only for them. */
  reservationId?: string | undefined;
}

export interface LaunchTemplate {
  /** `poolwright/<hash>` */
  name: string;
  data: RequestLaunchTemplateData;
  imageId: string;
}

/** @returns `invalid` where the user data of the class can't be merged or is too large. */
export function launchTemplateData(resolved: ResolvedEc2Class, input: TemplateInput): Result<LaunchTemplate> {
  const { spec, family } = resolved;
  const userData = userDataFor(family, {
    cluster: input.cluster,
    userData: spec.userData,
    labels: input.labels,
    taints: input.taints,
    kubelet: spec.kubelet ?? {},
    maxPods: input.maxPods,
    instanceStore: spec.instanceStorePolicy,
  });
  if (!userData.ok) return userData;
  const devices = blockDeviceRequests(spec, family);
  const data: RequestLaunchTemplateData = {
    ImageId: input.ami.id,
    IamInstanceProfile: { Name: resolved.instanceProfile.name },
    ...networkOf(resolved),
    ...cpuOf(resolved),
    ...(devices.length === 0 ? {} : { BlockDeviceMappings: devices }),
    ...(spec.detailedMonitoring === undefined ? {} : { Monitoring: { Enabled: spec.detailedMonitoring } }),
    MetadataOptions: metadataOf(resolved),
    ...placementOf(resolved),
    ...reservationOf(resolved, input.reservationId),
    TagSpecifications: [{ ResourceType: 'network-interface', Tags: tagsOf(resolved, input.cluster) }],
    ...(userData.value === '' ? {} : { UserData: Buffer.from(userData.value).toString('base64') }),
  };
  const hash = nodeCrypto()
    .createHash('sha256')
    .update(canonical({ owner: input.owner, data }))
    .digest('hex')
    .slice(0, 32);
  return ok({ name: `poolwright/${hash}`, data, imageId: input.ami.id });
}

/** Whether user data can be made at all, told with the class instead of with its first claim. */
export function userDataProblem(resolved: ResolvedEc2Class, cluster: Ec2Cluster): string | undefined {
  const [ami] = resolved.amis;
  if (ami === undefined) return undefined;
  const tried = launchTemplateData(resolved, { cluster, owner: '', ami, labels: {}, taints: [] });
  return tried.ok ? undefined : tried.error.message;
}

/** Groups stand with the interface where there is one to describe: EC2 takes them at one place only. */
function networkOf({ spec, securityGroups }: ResolvedEc2Class): RequestLaunchTemplateData {
  const groups = securityGroups.map(({ id }) => id);
  const { networkInterfaces = [], associatePublicIPAddress, ipPrefixCount, connectionTracking } = spec;
  if (networkInterfaces.length > 0) {
    return {
      NetworkInterfaces: networkInterfaces.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
        NetworkCardIndex: networkCardIndex,
        DeviceIndex: deviceIndex,
        InterfaceType: interfaceType,
        Groups: groups,
        // EC2 refuses all that is about addresses on an interface without any.
        ...(interfaceType === 'efa-only' ? {} : addressesOf(spec)),
      })),
    };
  }
  if ([associatePublicIPAddress, ipPrefixCount, connectionTracking].every((one) => one === undefined))
    return { SecurityGroupIds: groups };
  return { NetworkInterfaces: [{ DeviceIndex: 0, Groups: groups, ...addressesOf(spec) }] };
}

const addressesOf = ({
  associatePublicIPAddress,
  ipPrefixCount,
  connectionTracking: tracking,
}: ResolvedEc2Class['spec']): LaunchTemplateInstanceNetworkInterfaceSpecificationRequest => ({
  ...defined({ AssociatePublicIpAddress: associatePublicIPAddress, Ipv4PrefixCount: ipPrefixCount }),
  ...(tracking && {
    ConnectionTrackingSpecification: defined({
      TcpEstablishedTimeout: tracking.tcpEstablishedTimeout,
      UdpStreamTimeout: tracking.udpStreamTimeout,
      UdpTimeout: tracking.udpTimeout,
    }),
  }),
});

const cpuOf = ({ spec: { cpuOptions } }: ResolvedEc2Class): RequestLaunchTemplateData =>
  cpuOptions?.nestedVirtualization === undefined
    ? {}
    : { CpuOptions: { NestedVirtualization: cpuOptions.nestedVirtualization } };

function metadataOf({ spec: { metadataOptions: given = {} } }: ResolvedEc2Class) {
  return {
    HttpEndpoint: given.httpEndpoint ?? 'enabled',
    HttpPutResponseHopLimit: given.httpPutResponseHopLimit ?? 1,
    HttpTokens: given.httpTokens ?? 'required',
    // Not every region knows it, so the usual is not said.
    ...(given.httpProtocolIPv6 === 'enabled' ? { HttpProtocolIpv6: 'enabled' as const } : {}),
  };
}

function placementOf({ spec, placementGroup }: ResolvedEc2Class): RequestLaunchTemplateData {
  if (placementGroup === undefined && spec.tenancy === undefined) return {};
  return {
    Placement: {
      ...(placementGroup === undefined
        ? {}
        : placementGroup.id === ''
          ? { GroupName: placementGroup.name }
          : { GroupId: placementGroup.id }),
      ...defined({ Tenancy: spec.tenancy }),
    },
  };
}

/**
 * A class that manages reservations uses none by accident: else an on-demand machine would take the place that a reserved
 * one was promised.
 */
function reservationOf({ spec }: ResolvedEc2Class, id: string | undefined): RequestLaunchTemplateData {
  if (id !== undefined) {
    return {
      CapacityReservationSpecification: {
        CapacityReservationPreference: 'capacity-reservations-only',
        CapacityReservationTarget: { CapacityReservationId: id },
      },
    };
  }
  if (spec.capacityReservationSelectorTerms === undefined) return {};
  return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
}

/** Per claim are only the tags of machine and volumes, and those stand in the request. */
const tagsOf = ({ name, spec }: ResolvedEc2Class, cluster: Ec2Cluster) =>
  Object.entries({
    ...spec.tags,
    [`kubernetes.io/cluster/${cluster.name}`]: 'owned',
    'eks:eks-cluster-name': cluster.name,
    'karpenter.k8s.aws/ec2nodeclass': name,
  })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([Key, Value]) => ({ Key, Value }));

/** Fields in one order; lists stay as they are, because their order means something. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
