/** The services beside EC2 that a provider of nodes asks: parameters, instance profiles, prices, the cluster. */
import { z } from 'zod';
import type { Json } from '../../shared/base/json.ts';
import type { Clock, Ids } from '../../shared/base/runtime.ts';
import { type Account, type InstanceProfile, profileArn } from './account.ts';
import { type Outcome, refuse } from './wire/answer.ts';
import { type Form, tagsAt, textAt } from './wire/form.ts';
import { offsetOf, tokenFor } from './wire/pages.ts';
import { time, type Xml } from './wire/xml.ts';

const parameterAsk = z.object({
  Name: z.string().optional(),
  Names: z.array(z.string()).max(10).optional(),
  Path: z.string().optional(),
  Recursive: z.boolean().optional(),
  NextToken: z.string().optional(),
  MaxResults: z.number().int().min(1).max(10).optional(),
});

export const parameterActions: ReadonlySet<string> = new Set(['GetParameter', 'GetParameters', 'GetParametersByPath']);

/** Systems Manager: public and own parameters, all of them texts. */
export class ParameterCalls {
  readonly #account: Account;
  readonly #clock: Clock;

  constructor(account: Account, clock: Clock) {
    this.#account = account;
    this.#clock = clock;
  }

  /** One of `parameterActions`. */
  handle(action: string, body: unknown): Outcome {
    const asked = parameterAsk.safeParse(body);
    if (!asked.success) return refuse('ValidationException', asked.error.issues[0]?.message ?? 'The request is wrong.');
    const { Name, Names = [], Path = '/', Recursive = false, NextToken, MaxResults = 10 } = asked.data;
    const { parameters } = this.#account;
    switch (action) {
      case 'GetParameter': {
        const found = this.#show(Name ?? '');
        return found === undefined ? refuse('ParameterNotFound', '') : { json: { Parameter: found } };
      }
      case 'GetParameters':
        return {
          json: {
            Parameters: Names.flatMap((name) => this.#show(name) ?? []),
            InvalidParameters: Names.filter((name) => !parameters.has(name)),
          },
        };
      default: {
        const root = Path.endsWith('/') ? Path : `${Path}/`;
        const names = [...parameters.keys()].filter(
          (name) => name.startsWith(root) && (Recursive || !name.slice(root.length).includes('/')),
        );
        const from = offsetOf(NextToken);
        if (from === undefined) return refuse('InvalidNextToken', 'The token is not valid.');
        const until = from + MaxResults;
        const shown = names.slice(from, until).flatMap((name) => this.#show(name) ?? []);
        return { json: { Parameters: shown, ...(until < names.length ? { NextToken: tokenFor(until) } : {}) } };
      }
    }
  }

  #show(name: string): { [key: string]: Json } | undefined {
    const value = this.#account.parameters.get(name);
    if (value === undefined) return undefined;
    const ARN = `arn:aws:ssm:${this.#account.region}::parameter${name}`;
    return {
      Name: name,
      Type: 'String',
      Value: value,
      Version: 1,
      LastModifiedDate: this.#clock.now() / 1000,
      ARN,
      DataType: 'text',
    };
  }
}

export const profileActions: ReadonlySet<string> = new Set([
  'GetRole',
  'GetInstanceProfile',
  'CreateInstanceProfile',
  'AddRoleToInstanceProfile',
  'RemoveRoleFromInstanceProfile',
  'DeleteInstanceProfile',
  'TagInstanceProfile',
  'ListInstanceProfiles',
]);

/** IAM, as far as it is about the profiles that instances run with. */
export class ProfileCalls {
  readonly #account: Account;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(account: Account, clock: Clock, ids: Ids) {
    this.#account = account;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** One of `profileActions`. */
  handle(action: string, form: Form): Outcome {
    const name = textAt(form, 'InstanceProfileName') ?? '';
    const { profiles, roles, id: account } = this.#account;
    switch (action) {
      case 'GetRole': {
        const role = textAt(form, 'RoleName') ?? '';
        if (!roles.has(role)) return noSuchRole(role);
        return { xml: { Role: this.#role(role) } };
      }
      case 'GetInstanceProfile': {
        const profile = profiles.get(name);
        return profile === undefined ? noSuchProfile(name) : { xml: { InstanceProfile: this.#show(profile) } };
      }
      case 'CreateInstanceProfile': {
        if (profiles.has(name)) {
          return refuse('EntityAlreadyExists', `Instance Profile ${name} already exists.`, 409);
        }
        const profile: InstanceProfile = {
          name,
          id: `AIPA${this.#ids.next()}`,
          arn: profileArn(account, name),
          role: undefined,
          tags: tagsAt(form, 'Tags', 'member'),
          createdAt: this.#clock.now(),
        };
        profiles.set(name, profile);
        return { xml: { InstanceProfile: this.#show(profile) } };
      }
      case 'AddRoleToInstanceProfile': {
        const profile = profiles.get(name);
        const role = textAt(form, 'RoleName') ?? '';
        if (profile === undefined) return noSuchProfile(name);
        if (!roles.has(role)) return noSuchRole(role);
        if (profile.role !== undefined) {
          return refuse('LimitExceeded', 'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1', 409);
        }
        profile.role = role;
        return { xml: {} };
      }
      case 'RemoveRoleFromInstanceProfile': {
        const profile = profiles.get(name);
        if (profile === undefined) return noSuchProfile(name);
        profile.role = undefined;
        return { xml: {} };
      }
      case 'DeleteInstanceProfile': {
        const profile = profiles.get(name);
        if (profile === undefined) return noSuchProfile(name);
        if (profile.role !== undefined) {
          return refuse('DeleteConflict', 'Cannot delete entity, must remove roles from instance profile first.', 409);
        }
        profiles.delete(name);
        return { xml: {} };
      }
      case 'TagInstanceProfile': {
        const profile = profiles.get(name);
        if (profile === undefined) return noSuchProfile(name);
        Object.assign(profile.tags, tagsAt(form, 'Tags', 'member'));
        return { xml: {} };
      }
      default:
        return { xml: { InstanceProfiles: [...profiles.values()].map((one) => this.#show(one)), IsTruncated: false } };
    }
  }

  #role(name: string): Xml {
    return {
      RoleName: name,
      Path: '/',
      RoleId: 'AROAEXAMPLE',
      Arn: `arn:aws:iam::${this.#account.id}:role/${name}`,
      CreateDate: time(Date.UTC(2026, 0, 1)),
    };
  }

  #show(profile: InstanceProfile): Xml {
    const tags = Object.entries(profile.tags).map(([Key, Value]) => ({ Key, Value }));
    return {
      InstanceProfileName: profile.name,
      InstanceProfileId: profile.id,
      Arn: profile.arn,
      Path: '/',
      CreateDate: time(profile.createdAt),
      Roles: profile.role === undefined ? [] : [this.#role(profile.role)],
      Tags: tags,
    };
  }
}

const noSuchProfile = (name: string): Outcome =>
  refuse('NoSuchEntity', `Instance Profile ${name} cannot be found.`, 404);
const noSuchRole = (name: string): Outcome =>
  refuse('NoSuchEntity', `The role with name ${name} cannot be found.`, 404);

const productsAsk = z.object({
  ServiceCode: z.string(),
  Filters: z.array(z.object({ Type: z.string(), Field: z.string(), Value: z.string() })).default([]),
  NextToken: z.string().optional(),
  MaxResults: z.number().int().min(1).max(100).default(100),
});

/** The price list: more rows than anybody wants, each a JSON text of its own. */
export function products(account: Account, body: unknown): Outcome {
  const asked = productsAsk.safeParse(body);
  if (!asked.success)
    return refuse('InvalidParameterException', asked.error.issues[0]?.message ?? 'The request is wrong.');
  const { ServiceCode, Filters, NextToken, MaxResults } = asked.data;
  if (ServiceCode !== 'AmazonEC2') return refuse('NotFoundException', `There is no service ${ServiceCode}.`);
  const rows = account.types.flatMap((type) =>
    [
      { operatingSystem: 'Linux', preInstalledSw: 'NA', capacitystatus: 'Used', times: 1 },
      { operatingSystem: 'Windows', preInstalledSw: 'NA', capacitystatus: 'Used', times: 1.9 },
      { operatingSystem: 'Linux', preInstalledSw: 'SQL Web', capacitystatus: 'Used', times: 1.4 },
      { operatingSystem: 'Linux', preInstalledSw: 'NA', capacitystatus: 'UnusedCapacityReservation', times: 1 },
      { operatingSystem: 'Linux', preInstalledSw: 'NA', capacitystatus: 'AllocatedCapacityReservation', times: 0 },
    ].map(({ times, ...kind }) => ({
      attributes: {
        ...kind,
        instanceType: type.name,
        regionCode: account.region,
        location: account.region,
        tenancy: 'Shared',
        licenseModel: 'No License required',
        marketoption: 'OnDemand',
        vcpu: String(type.vcpus),
        productFamily: type.metal ? 'Compute Instance (bare metal)' : 'Compute Instance',
      },
      price: type.price * times,
    })),
  );
  const fitting = rows.filter(({ attributes }) =>
    Filters.every(({ Field, Value }) => (attributes as Record<string, string>)[Field] === Value),
  );
  const from = offsetOf(NextToken);
  if (from === undefined) return refuse('InvalidNextTokenException', 'The token is not valid.');
  const until = from + MaxResults;
  const priceList = fitting.slice(from, until).map(({ attributes, price }) => {
    const { productFamily, ...others } = attributes;
    const sku = `SKU${attributes.instanceType}`;
    return JSON.stringify({
      product: { productFamily, attributes: others, sku },
      serviceCode: 'AmazonEC2',
      terms: {
        OnDemand: {
          [`${sku}.JRTCKXETXF`]: {
            priceDimensions: {
              [`${sku}.JRTCKXETXF.6YS6EN2CT7`]: {
                unit: 'Hrs',
                endRange: 'Inf',
                description: `$${price} per hour`,
                pricePerUnit: { USD: price.toFixed(10) },
              },
            },
            sku,
            effectiveDate: '2026-11-01T00:00:00Z',
            offerTermCode: 'JRTCKXETXF',
            termAttributes: {},
          },
        },
      },
    });
  });
  const more = until < fitting.length ? { NextToken: tokenFor(until) } : {};
  return { json: { FormatVersion: 'aws_v1', PriceList: priceList, ...more } };
}

/** EKS: one cluster by its name. */
export function describeCluster(account: Account, name: string): Outcome {
  const cluster = account.clusters.get(name);
  if (cluster === undefined) return refuse('ResourceNotFoundException', `No cluster found for name: ${name}.`, 404);
  return {
    json: {
      cluster: {
        name,
        arn: `arn:aws:eks:${account.region}:${account.id}:cluster/${name}`,
        version: cluster.version,
        endpoint: cluster.endpoint,
        status: 'ACTIVE',
        certificateAuthority: { data: cluster.certificateAuthority },
        kubernetesNetworkConfig: { serviceIpv4Cidr: cluster.serviceCidr, ipFamily: 'ipv4' },
        resourcesVpcConfig: {
          vpcId: account.vpc,
          clusterSecurityGroupId: cluster.securityGroup,
          subnetIds: [...account.subnets.keys()],
        },
        tags: {},
      },
    },
  };
}
