/** One launch of a fleet: whether EC2 would start such a machine there now, and the instance when it does. */
import { createHash } from 'node:crypto';
import { tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import { planFor } from '../cloud/plan.ts';
import { defaultSettings as cloudDefaults } from '../cloud/settings.ts';
import type { MachineFault } from '../kit/faults.ts';
import type { NodeRequest } from '../kit/kubelet-flags.ts';
import type { CapacityReservation, Subnet } from './account.ts';
import type { Image } from './images.ts';
import type { Ec2Instance } from './instance.ts';
import { type LaunchTemplate, securityGroupsOf } from './launch-templates.ts';
import type { AwsSettings } from './settings.ts';
import type { Ec2Type } from './types.ts';
import { nodeRequestOf } from './user-data.ts';
import type { Problem } from './wire/answer.ts';
import { type Form, formsAt, tagsAt, textAt } from './wire/form.ts';
import type { AwsWorld } from './world.ts';

export type Lifecycle = 'spot' | 'on-demand';

interface UserData {
  text: string;
  bytes: number;
  /** How the machine joins; undefined when it does not. */
  node: NodeRequest | undefined;
}

export const noUserData: UserData = { text: '', bytes: 0, node: undefined };

/** An offering with all that a launch needs. */
export interface Launch {
  template: LaunchTemplate;
  type: Ec2Type;
  subnet: Subnet;
  image: Image;
  profileArn: string | undefined;
  securityGroups: readonly string[];
  userData: UserData;
  lifecycle: Lifecycle;
  reservation: CapacityReservation | undefined;
}

const largestUserData = 16_384;

const invalid = (message: string): Problem => ({ code: 'InvalidParameterValue', message });

export class Launcher {
  readonly #world: AwsWorld;
  readonly #settings: AwsSettings;
  readonly #types: ReadonlyMap<string, Ec2Type>;
  /** Read once for all launches of a template. */
  readonly #userData = new WeakMap<LaunchTemplate, UserData>();

  constructor(world: AwsWorld, settings: AwsSettings, types: ReadonlyMap<string, Ec2Type>) {
    this.#world = world;
    this.#settings = settings;
    this.#types = types;
  }

  /** In the order in which EC2 finds fault: what is not there, what does not go together, what there is none of. */
  prepare(template: LaunchTemplate, override: Form, lifecycle: Lifecycle, openFirst: boolean): Launch | Problem {
    const { account } = this.#world;
    const { data } = template;
    const typeName = textAt(override, 'InstanceType') ?? textAt(data, 'InstanceType') ?? '';
    const type = this.#types.get(typeName);
    if (type === undefined) return invalid(`The instance type '${typeName}' does not exist.`);
    const imageId = textAt(override, 'ImageId') ?? textAt(data, 'ImageId') ?? '';
    const image = account.images.get(imageId);
    if (image === undefined) {
      return { code: 'InvalidAMIID.NotFound', message: `The image id '[${imageId}]' does not exist` };
    }
    const subnet = this.#subnetOf(override, data);
    if ('code' in subnet) return subnet;
    const securityGroups = securityGroupsOf(data);
    const noGroup = securityGroups.find((id) => !account.securityGroups.has(id));
    if (noGroup !== undefined) {
      return { code: 'InvalidGroup.NotFound', message: `The security group '${noGroup}' does not exist` };
    }
    const profileArn = this.#profileOf(data);
    if (typeof profileArn === 'object') return profileArn;
    const userData = this.#userDataOf(template);
    if (userData.bytes > largestUserData) return invalid(`User data is limited to ${largestUserData} bytes`);
    if (image.arch !== type.arch) {
      return invalid(
        `The architecture '${type.arch}' of the specified instance type does not match the architecture '${image.arch}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
      );
    }
    if (!type.zones.includes(subnet.zone.index)) return unsupported(type, subnet);
    const reservation = this.#reservationOf(data, type, subnet, lifecycle === 'on-demand' && openFirst);
    if (reservation !== undefined && 'code' in reservation) return reservation;
    return {
      template,
      type,
      subnet,
      image,
      profileArn,
      securityGroups,
      userData,
      lifecycle,
      reservation,
    };
  }

  /** What there is none of now. */
  scarcity({ type, subnet, lifecycle, reservation }: Launch): Problem | undefined {
    const world = this.#world;
    const spot = lifecycle === 'spot';
    if (spot && !this.#settings.spotRole) {
      return {
        code: 'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
        message:
          'The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.',
      };
    }
    if (spot && !type.spot) return unsupported(type, subnet);
    if (subnet.used >= subnet.size) {
      return {
        code: 'InsufficientFreeAddressesInSubnet',
        message: `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
      };
    }
    const quota = (spot ? this.#settings.spotVcpuQuota : this.#settings.vcpuQuota)[type.quotaClass];
    if (quota !== undefined) {
      const used = world.vcpusInUse(({ record }) => {
        const other = this.#types.get(record.request.instanceType);
        const same = (record.request.capacityType === 'spot') === spot && other?.quotaClass === type.quotaClass;
        return same && other !== undefined ? other.vcpus : 0;
      });
      if (used + type.vcpus > quota) return spot ? maxSpotCount : vcpuLimit(quota);
    }
    if (reservation !== undefined) return undefined;
    const capacity = this.#capacityOf(type, subnet, lifecycle);
    if (capacity !== undefined && world.inUse(type.name, subnet.zone.name, lifecycle) >= capacity) {
      return soldOut(type, subnet, lifecycle);
    }
    return undefined;
  }

  start(
    launch: Launch,
    tags: Record<string, string>,
    fleet: { id: string; token: string | undefined },
    faults: readonly MachineFault[],
  ): Ec2Instance {
    const world = this.#world;
    const { account } = world;
    const { template, type, subnet } = launch;
    const seq = world.nextSeq;
    const own: Record<string, string> = Object.assign(
      {},
      ...formsAt(template.data, 'TagSpecification')
        .filter((one) => textAt(one, 'ResourceType') === 'instance')
        .map((one) => tagsAt(one, 'Tag')),
    );
    const allTags = {
      ...own,
      ...tags,
      'aws:ec2:fleet-id': fleet.id,
      'aws:ec2launchtemplate:id': template.id,
      'aws:ec2launchtemplate:version': '1',
    };
    const { node } = launch.userData;
    const privateIp = addressOf(subnet, seq);
    const request = {
      name: allTags[tagKeys.claim as keyof typeof allTags] ?? '',
      token: fleet.token,
      instanceType: type.name,
      zone: subnet.zone.name,
      capacityType: launch.reservation !== undefined ? ('reserved' as const) : launch.lifecycle,
      tags: allTags,
      labels: node?.labels ?? {},
      taints: node?.taints ?? [],
      image: launch.image.id,
    };
    const plan = planFor(
      request,
      { ...cloudDefaults, ...this.#settings, quota: null, bootSeconds: this.#settings.pendingSeconds },
      faults,
      world.now,
    );
    if (node === undefined) plan.registerSeconds = null;
    const instance: Ec2Instance = {
      id: `i-0${createHash('sha256').update(`${account.region}/${seq}`).digest('hex').slice(0, 16)}`,
      record: {
        seq,
        id: `ip-${privateIp.replaceAll('.', '-')}.${account.region === 'us-east-1' ? 'ec2' : `${account.region}.compute`}.internal`,
        request,
        price: type.price,
        plan,
        createdAt: world.now,
        runningAt: null,
        deletingAt: null,
        deleteDueAt: null,
        goneAt: null,
        whyGone: null,
        nodeStage: 'none',
      },
      arch: type.arch,
      imageId: launch.image.id,
      subnet,
      securityGroups: launch.securityGroups,
      profileArn: launch.profileArn,
      privateIp,
      tags: allTags,
      fleetId: fleet.id,
      reservation: launch.reservation,
      detailedMonitoring: textAt(template.data, 'Monitoring', 'Enabled') === 'true',
      userData: launch.userData.text,
      endReason: undefined,
      warned: false,
    };
    world.add(instance);
    return instance;
  }

  #userDataOf(template: LaunchTemplate): UserData {
    const known = this.#userData.get(template);
    if (known !== undefined) return known;
    const bytes = Buffer.from(textAt(template.data, 'UserData') ?? '', 'base64');
    const text = bytes.toString('utf8');
    const read = { text, bytes: bytes.length, node: nodeRequestOf(text) };
    this.#userData.set(template, read);
    return read;
  }

  #subnetOf(override: Form, data: Form): Subnet | Problem {
    const { account } = this.#world;
    const own = formsAt(data, 'NetworkInterface')[0];
    const id = textAt(override, 'SubnetId') ?? textAt(own, 'SubnetId');
    if (id !== undefined) {
      const subnet = account.subnets.get(id);
      if (subnet !== undefined) return subnet;
      return { code: 'InvalidSubnetID.NotFound', message: `The subnet ID '${id}' does not exist` };
    }
    const zone = textAt(override, 'AvailabilityZone');
    const subnet = [...account.subnets.values()].find((one) => zone === undefined || one.zone.name === zone);
    return subnet ?? { code: 'MissingInput', message: `No subnets found for the default VPC in ${zone}.` };
  }

  #profileOf(data: Form): string | undefined | Problem {
    const { profiles } = this.#world.account;
    const name = textAt(data, 'IamInstanceProfile', 'Name');
    const arn = textAt(data, 'IamInstanceProfile', 'Arn');
    if (name === undefined && arn === undefined) return undefined;
    const found = name === undefined ? [...profiles.values()].find((one) => one.arn === arn) : profiles.get(name);
    if (found !== undefined) return found.arn;
    const [what, which] = name === undefined ? ['arn', 'ARN'] : ['name', 'name'];
    return invalid(
      `Value (${name ?? arn}) for parameter iamInstanceProfile.${what} is invalid. Invalid IAM Instance Profile ${which}`,
    );
  }

  #reservationOf(
    data: Form,
    type: Ec2Type,
    subnet: Subnet,
    openFirst: boolean,
  ): CapacityReservation | Problem | undefined {
    const { reservations } = this.#world.account;
    const fitsHere = (one: CapacityReservation) =>
      one.instanceType === type.name && one.zone === subnet.zone.name && one.state === 'active';
    const id = textAt(data, 'CapacityReservationSpecification', 'CapacityReservationTarget', 'CapacityReservationId');
    if (id === undefined) {
      if (!openFirst) return undefined;
      return [...reservations.values()].find((one) => one.matching === 'open' && fitsHere(one) && one.used < one.total);
    }
    const found = reservations.get(id);
    if (found === undefined) {
      return {
        code: 'InvalidCapacityReservationId.NotFound',
        message: `The capacity reservation ID '${id}' does not exist`,
      };
    }
    if (fitsHere(found) && found.used < found.total) return found;
    return {
      code: 'ReservationCapacityExceeded',
      message: 'The requested reservation does not have sufficient compatible and available capacity for this request.',
    };
  }

  #capacityOf(type: Ec2Type, subnet: Subnet, lifecycle: Lifecycle): number | undefined {
    const { capacity } = this.#settings;
    const found: number[] = [];
    for (const one of [type.name, '*']) {
      for (const zone of [subnet.zone.name, '*']) {
        for (const sold of [lifecycle, '*']) {
          const limit = capacity[`${one}/${zone}/${sold}`];
          if (limit !== undefined) found.push(limit);
        }
      }
    }
    return found.length === 0 ? undefined : Math.min(...found);
  }
}

/** Addresses follow each other; a name comes again only when all others were used. */
function addressOf(subnet: Subnet, seq: number): string {
  const [a = 0, b = 0, c = 0, rest = '0'] = subnet.cidr
    .split('.')
    .map((part, index) => (index < 3 ? Number(part) : part)) as [number, number, number, string];
  const offset = Number(rest.split('/')[0]) + 4 + (seq % subnet.size);
  return `${a}.${b}.${c + (offset >> 8)}.${offset & 255}`;
}

const unsupported = (type: Ec2Type, subnet: Subnet): Problem => ({
  code: 'Unsupported',
  message: `Your requested instance type (${type.name}) is not supported in your requested Availability Zone (${subnet.zone.name}). Please retry your request by not specifying an Availability Zone or choosing another one.`,
});

export function soldOut(type: Ec2Type, subnet: Subnet, lifecycle: Lifecycle): Problem {
  if (lifecycle === 'spot') {
    return {
      code: 'UnfulfillableCapacity',
      message:
        'Unable to fulfill capacity due to your request configuration. Please adjust your request and try again.',
    };
  }
  return {
    code: 'InsufficientInstanceCapacity',
    message: `We currently do not have sufficient ${type.name} capacity in the Availability Zone you requested (${subnet.zone.name}). Our system will be working on provisioning additional capacity.`,
  };
}

export const maxSpotCount: Problem = {
  code: 'MaxSpotInstanceCountExceeded',
  message: 'Max spot instance count exceeded',
};

export const vcpuLimit = (limit: number): Problem => ({
  code: 'VcpuLimitExceeded',
  message: `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.`,
});
