/** What can be asked about everything that is no instance: types, zones, networks, images, prices, reservations. */
import type { Account } from './account.ts';
import { wrongFilter } from './instance-calls.ts';
import { spotPriceOf } from './types.ts';
import { type Outcome, type Problem, refuse } from './wire/answer.ts';
import { type Facts, filtersOf, fits, table, unknownFilter, withTags } from './wire/filters.ts';
import { type Form, textAt, textsAt } from './wire/form.ts';
import { pageOf } from './wire/pages.ts';
import { typeXml } from './wire/type-xml.ts';
import { tagSet, time, type Xml } from './wire/xml.ts';

/** The most that one page has: fewer than all types, so that whoever forgets the next page is found out. */
const typesPerPage = 100;

export class CatalogCalls {
  readonly #account: Account;
  readonly #now: () => number;
  readonly #pageSize: number;

  constructor(account: Account, now: () => number, pageSize: number) {
    this.#account = account;
    this.#now = now;
    this.#pageSize = pageSize;
  }

  instanceTypes(form: Form): Outcome {
    const wanted = textsAt(form, 'InstanceType');
    const byName = new Map(this.#account.types.map((type) => [type.name, type]));
    const unknown = wanted.filter((name) => !byName.has(name));
    if (unknown.length > 0) {
      return refuse(
        'InvalidInstanceType',
        `The following supplied instance types do not exist: [${unknown.join(', ')}]`,
      );
    }
    const found = wanted.length === 0 ? this.#account.types : wanted.flatMap((name) => byName.get(name) ?? []);
    const facts = (type: (typeof found)[number]): Facts =>
      table({
        'instance-type': type.name,
        'bare-metal': String(type.metal),
        'burstable-performance-supported': String(type.burstable),
        'current-generation': 'true',
        hypervisor: type.metal ? undefined : 'nitro',
        'processor-info.supported-architecture': type.arch,
        'supported-usage-class': type.spot ? ['on-demand', 'spot'] : ['on-demand'],
        'supported-virtualization-type': 'hvm',
      });
    return this.#list(form, found, facts, typesPerPage, (page, nextToken) => ({
      instanceTypeSet: page.map(typeXml),
      nextToken,
    }));
  }

  typeOfferings(form: Form): Outcome {
    const { zones, types, region } = this.#account;
    const locationType = textAt(form, 'LocationType') ?? 'region';
    const places = (indexes: readonly number[]): string[] => {
      if (locationType === 'region') return [region];
      return indexes.flatMap(
        (index) => (locationType === 'availability-zone-id' ? zones[index]?.id : zones[index]?.name) ?? [],
      );
    };
    const all = types.flatMap((type) => places(type.zones).map((location) => ({ instanceType: type.name, location })));
    return this.#list(
      form,
      all,
      (one) => table({ 'instance-type': one.instanceType, location: one.location }),
      1000,
      (page, nextToken) => ({
        instanceTypeOfferingSet: page.map((one) => ({ ...one, locationType })),
        nextToken,
      }),
    );
  }

  zones(form: Form): Outcome {
    const { zones, region } = this.#account;
    const filters = filtersOf(form);
    const names = new Set([...textsAt(form, 'ZoneName'), ...textsAt(form, 'ZoneId')]);
    const known = new Set(zones.flatMap(({ name, id }) => [name, id]));
    const unknown = [...names].find((name) => !known.has(name));
    if (unknown !== undefined) return refuse('InvalidParameterValue', `Invalid availability zone: [${unknown}]`);
    const shown = zones.filter(
      ({ name, id }) =>
        (names.size === 0 || names.has(name) || names.has(id)) &&
        fits(
          filters,
          table({
            'zone-name': name,
            'zone-id': id,
            state: 'available',
            'region-name': region,
            'zone-type': 'availability-zone',
            'opt-in-status': 'opt-in-not-required',
          }),
        ),
    );
    return {
      xml: {
        availabilityZoneInfo: shown.map(({ name, id }) => ({
          optInStatus: 'opt-in-not-required',
          regionName: region,
          zoneName: name,
          zoneId: id,
          groupName: region,
          networkBorderGroup: region,
          zoneType: 'availability-zone',
          zoneState: 'available',
        })),
      },
    };
  }

  spotPrices(form: Form): Outcome {
    const { zones, types } = this.#account;
    const wanted = new Set(textsAt(form, 'InstanceType'));
    const products = textsAt(form, 'ProductDescription');
    const zone = textAt(form, 'AvailabilityZone');
    const now = this.#now();
    // The price of now, and an older one that is no longer good.
    const all = types
      .filter((type) => type.spot && (wanted.size === 0 || wanted.has(type.name)))
      .flatMap((type) =>
        type.zones.flatMap((index) => {
          const place = zones[index];
          if (place === undefined || (zone !== undefined && place.name !== zone)) return [];
          const price = spotPriceOf(type, index);
          const row = (product: string, amount: number, at: number): Xml => ({
            instanceType: type.name,
            productDescription: product,
            spotPrice: amount.toFixed(6),
            timestamp: time(at),
            availabilityZone: place.name,
            availabilityZoneId: place.id,
          });
          const rows = [row('Linux/UNIX', price, now - 600_000)];
          if (textAt(form, 'StartTime') !== undefined)
            return products.includes('Windows') ? [...rows, row('Windows', price * 2, now)] : rows;
          return [...rows, row('Linux/UNIX', price * 1.1, now - 86_400_000)];
        }),
      );
    return pageOf(form, all, this.#pageSize, (page, nextToken) => ({
      spotPriceHistorySet: page,
      nextToken: nextToken ?? '',
    }));
  }

  images(form: Form): Outcome {
    const { images, id: account } = this.#account;
    const ids = textsAt(form, 'ImageId');
    const missing = ids.filter((id) => !images.has(id));
    if (missing.length > 0) {
      const malformed = missing.find((id) => !/^ami-[0-9a-f]{8,17}$/.test(id));
      return malformed === undefined
        ? refuse('InvalidAMIID.NotFound', `The image id '[${missing.join(', ')}]' does not exist`)
        : refuse('InvalidAMIID.Malformed', `Invalid id: "${malformed}"`);
    }
    const owners = textsAt(form, 'Owner').map((owner) => (owner === 'self' ? account : owner));
    const found = (ids.length === 0 ? [...images.values()] : ids.flatMap((id) => images.get(id) ?? [])).filter(
      (one) => owners.length === 0 || owners.includes(one.owner) || owners.includes(one.ownerAlias ?? ''),
    );
    const facts = (one: (typeof found)[number]): Facts =>
      withTags(
        one.tags,
        table({
          name: one.name,
          'image-id': one.id,
          architecture: one.arch,
          state: 'available',
          'owner-id': one.owner,
          'owner-alias': one.ownerAlias,
          'is-public': String(one.owner !== account),
          'image-type': 'machine',
          platform: one.platform,
          'virtualization-type': 'hvm',
          'root-device-type': 'ebs',
        }),
      );
    return this.#list(form, found, facts, this.#pageSize, (page, nextToken) => ({
      imagesSet: page.map((one) => ({
        imageId: one.id,
        imageLocation: `${one.owner}/${one.name}`,
        imageState: 'available',
        imageOwnerId: one.owner,
        imageOwnerAlias: one.ownerAlias,
        creationDate: time(one.createdAt),
        deprecationTime: one.deprecatedAt === undefined ? undefined : time(one.deprecatedAt),
        isPublic: one.owner !== account,
        architecture: one.arch,
        imageType: 'machine',
        platform: one.platform,
        name: one.name,
        rootDeviceType: 'ebs',
        rootDeviceName: '/dev/xvda',
        virtualizationType: 'hvm',
        blockDeviceMapping: [
          { deviceName: '/dev/xvda', ebs: { volumeSize: 20, volumeType: 'gp3', deleteOnTermination: true } },
        ],
        tagSet: tagSet(one.tags),
      })),
      nextToken,
    }));
  }

  subnets(form: Form): Outcome {
    const { subnets, vpc, id: account, region } = this.#account;
    const ids = textsAt(form, 'SubnetId');
    const missing = ids.find((id) => !subnets.has(id));
    if (missing !== undefined) return refuse('InvalidSubnetID.NotFound', `The subnet ID '${missing}' does not exist`);
    const found = ids.length === 0 ? [...subnets.values()] : ids.flatMap((id) => subnets.get(id) ?? []);
    const facts = (one: (typeof found)[number]): Facts =>
      withTags(
        one.tags,
        table({
          'subnet-id': one.id,
          'availability-zone': one.zone.name,
          'availability-zone-id': one.zone.id,
          'vpc-id': vpc,
          state: 'available',
          'cidr-block': one.cidr,
        }),
      );
    return this.#list(form, found, facts, this.#pageSize, (page, nextToken) => ({
      subnetSet: page.map((one) => ({
        subnetId: one.id,
        subnetArn: `arn:aws:ec2:${region}:${account}:subnet/${one.id}`,
        state: 'available',
        vpcId: vpc,
        ownerId: account,
        cidrBlock: one.cidr,
        availableIpAddressCount: Math.max(0, one.size - one.used),
        availabilityZone: one.zone.name,
        availabilityZoneId: one.zone.id,
        defaultForAz: false,
        mapPublicIpOnLaunch: one.publicIp,
        tagSet: tagSet(one.tags),
      })),
      nextToken,
    }));
  }

  securityGroups(form: Form): Outcome {
    const { securityGroups, vpc, id: account } = this.#account;
    const ids = textsAt(form, 'GroupId');
    const names = new Set(textsAt(form, 'GroupName'));
    const missing = ids.find((id) => !securityGroups.has(id));
    if (missing !== undefined) return refuse('InvalidGroup.NotFound', `The security group '${missing}' does not exist`);
    const found = (
      ids.length === 0 ? [...securityGroups.values()] : ids.flatMap((id) => securityGroups.get(id) ?? [])
    ).filter(({ name }) => names.size === 0 || names.has(name));
    const facts = (one: (typeof found)[number]): Facts =>
      withTags(one.tags, table({ 'group-id': one.id, 'group-name': one.name, 'vpc-id': vpc }));
    return this.#list(form, found, facts, this.#pageSize, (page, nextToken) => ({
      securityGroupInfo: page.map((one) => ({
        groupId: one.id,
        groupName: one.name,
        groupDescription: one.name,
        ownerId: account,
        vpcId: vpc,
        tagSet: tagSet(one.tags),
      })),
      nextToken,
    }));
  }

  reservations(form: Form): Outcome {
    const { reservations, id: account, region, zones } = this.#account;
    const ids = textsAt(form, 'CapacityReservationId');
    const missing = ids.find((id) => !reservations.has(id));
    if (missing !== undefined) {
      return refuse('InvalidCapacityReservationId.NotFound', `The capacity reservation '${missing}' does not exist`);
    }
    const found = ids.length === 0 ? [...reservations.values()] : ids.flatMap((id) => reservations.get(id) ?? []);
    const facts = (one: (typeof found)[number]): Facts =>
      withTags(
        one.tags,
        table({
          'instance-type': one.instanceType,
          'owner-id': account,
          state: one.state,
          'availability-zone': one.zone,
          'instance-match-criteria': one.matching,
        }),
      );
    return this.#list(form, found, facts, this.#pageSize, (page, nextToken) => ({
      capacityReservationSet: page.map((one) => ({
        capacityReservationId: one.id,
        capacityReservationArn: `arn:aws:ec2:${region}:${account}:capacity-reservation/${one.id}`,
        ownerId: account,
        instanceType: one.instanceType,
        instancePlatform: 'Linux/UNIX',
        availabilityZone: one.zone,
        availabilityZoneId: zones.find(({ name }) => name === one.zone)?.id,
        tenancy: 'default',
        totalInstanceCount: one.total,
        availableInstanceCount: Math.max(0, one.total - one.used),
        ebsOptimized: false,
        state: one.state,
        endDateType: 'unlimited',
        instanceMatchCriteria: one.matching,
        reservationType: 'default',
        tagSet: tagSet(one.tags),
      })),
      nextToken,
    }));
  }

  #list<T>(
    form: Form,
    all: readonly T[],
    facts: (one: T) => Facts,
    largest: number,
    show: (page: readonly T[], nextToken: string | undefined) => { [name: string]: Xml },
  ): Outcome {
    const filters = filtersOf(form);
    if (filters.length === 0) return pageOf(form, all, largest, show);
    const shown: T[] = [];
    let wrong: Problem | undefined;
    for (const one of all) {
      const known = facts(one);
      const name = unknownFilter(filters, known);
      if (name !== undefined) wrong = wrongFilter(name);
      if (fits(filters, known)) shown.push(one);
    }
    return wrong === undefined ? pageOf(form, shown, largest, show) : { problem: wrong };
  }
}
