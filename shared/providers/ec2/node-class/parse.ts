/** Reads the spec of an EC2NodeClass. Everything that is wrong is told at once, with the field and what to do. */
import { isIP } from 'node:net';
import { isObject, type Json } from '../../../base/json.ts';
import { describeProblems, type Problem } from '../../../base/problems.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import { parseSpec } from '../../node-class-spec.ts';
import {
  type AmiFamily,
  aliasFamilies,
  type BlockDevice,
  type Ec2NodeClassSpec,
  ec2NodeClassSchema,
} from './schema.ts';
import { tagProblems } from './schema-tags.ts';

const fields = Object.keys(ec2NodeClassSchema.shape);

/** Fields that Karpenter's provider has and ours has not: left out in silence they would be promised and not kept. */
const notDone = ['capacityReservationOptions', 'enclaveOptions'] as const;

/** @returns `invalid` with one sentence for each mistake. */
export function parseNodeClass(spec: Json): Result<Ec2NodeClassSpec> {
  const { rest, problems } = withoutNotDone(spec);
  const parsed = parseSpec(ec2NodeClassSchema, rest, fields);
  const all = [...problems, ...(parsed.ok ? togetherProblems(parsed.value) : parsed.problems)];
  return parsed.ok && all.length === 0 ? ok(parsed.value) : failed('invalid', describeProblems(all));
}

/** What the images are: what the class says, or what its alias means. */
export function familyOf(spec: Pick<Ec2NodeClassSpec, 'amiFamily' | 'amiSelectorTerms'>): AmiFamily {
  const alias = aliasOf(spec);
  return spec.amiFamily ?? (alias === undefined ? 'Custom' : aliasFamilies[alias.family]);
}

export interface Alias {
  family: keyof typeof aliasFamilies;
  /** `latest`, or a release of that family. */
  version: string;
}

export function aliasOf({ amiSelectorTerms }: Pick<Ec2NodeClassSpec, 'amiSelectorTerms'>): Alias | undefined {
  const text = amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  if (text === undefined) return undefined;
  const [name = '', version = ''] = text.split('@');
  const family = Object.keys(aliasFamilies).find((one) => one === name) as Alias['family'] | undefined;
  return family && { family, version };
}

function withoutNotDone(spec: Json): { rest: Json; problems: Problem[] } {
  if (!isObject(spec)) return { rest: spec, problems: [] };
  const isNotDone = (key: string): boolean => notDone.some((one) => one === key);
  const problems = Object.entries(spec)
    .filter(([key, value]) => isNotDone(key) && value !== null)
    .map(([key]) => ({
      path: `spec.${key}`,
      message: "only Karpenter's own provider for AWS supports this; remove it, or use another class for these claims",
    }));
  return { rest: Object.fromEntries(Object.entries(spec).filter(([key]) => !isNotDone(key))), problems };
}

function togetherProblems(spec: Ec2NodeClassSpec): Problem[] {
  return [
    ...amiProblems(spec),
    ...termProblems(spec.subnetSelectorTerms, 'spec.subnetSelectorTerms', ['id'], ['id', 'tags']),
    ...termProblems(
      spec.securityGroupSelectorTerms,
      'spec.securityGroupSelectorTerms',
      ['id', 'name'],
      ['id', 'name', 'tags'],
    ),
    ...termProblems(
      spec.capacityReservationSelectorTerms ?? [],
      'spec.capacityReservationSelectorTerms',
      ['id'],
      ['id', 'tags', 'instanceMatchCriteria'],
    ),
    ...roleProblems(spec),
    ...deviceProblems(spec),
    ...kubeletProblems(spec),
    ...placementProblems(spec),
    ...tagProblems(spec.tags ?? {}, 'spec.tags'),
  ];
}

function amiProblems(spec: Ec2NodeClassSpec): Problem[] {
  const path = 'spec.amiSelectorTerms';
  const terms = spec.amiSelectorTerms;
  const problems = termProblems(
    terms,
    path,
    ['alias', 'id', 'ssmParameter'],
    ['alias', 'id', 'name', 'ssmParameter', 'tags'],
  );
  const alias = aliasOf(spec);
  if (alias === undefined) {
    if (spec.amiFamily === undefined) {
      problems.push({
        path: 'spec.amiFamily',
        message:
          'is required, because it determines the format of user data, unless an alias is used (Custom: user data is passed unchanged)',
      });
    }
    return problems;
  }
  if (terms.length > 1) {
    problems.push({ path, message: 'an alias must be the only term; it includes an image for each architecture' });
  }
  const family = aliasFamilies[alias.family];
  if (spec.amiFamily !== undefined && spec.amiFamily !== family && spec.amiFamily !== 'Custom') {
    problems.push({
      path: 'spec.amiFamily',
      message: `is ${spec.amiFamily}, but the alias ${alias.family}@${alias.version} is of ${family}; remove it`,
    });
  }
  if (family.startsWith('Windows') && alias.version !== 'latest') {
    problems.push({
      path,
      message: `AWS does not publish versions of ${alias.family}; use ${alias.family}@latest`,
    });
  }
  return problems;
}

/** Each term needs one of its fields, and some fields stand alone. */
function termProblems(
  terms: readonly Readonly<Record<string, unknown>>[],
  path: string,
  alone: readonly string[],
  oneOf: readonly string[],
): Problem[] {
  return terms.flatMap((term, index): Problem[] => {
    const at = `${path}[${index}]`;
    const given = Object.keys(term).filter((key) => term[key] !== undefined);
    const tags = term.tags as Record<string, string> | undefined;
    const emptyTag = Object.entries(tags ?? {}).find(([key, value]) => key === '' || value === '');
    const noTags = tags !== undefined && Object.keys(tags).length === 0;
    if (emptyTag !== undefined || noTags) {
      return [{ path: `${at}.tags`, message: 'neither keys nor values may be empty; * matches any value' }];
    }
    if (!oneOf.some((field) => given.includes(field))) {
      return [{ path: at, message: `selects nothing; set one of ${oneOf.join(', ')}` }];
    }
    const lone = alone.find((field) => given.includes(field));
    if (lone === undefined || given.length === 1) return [];
    return [{ path: `${at}.${lone}`, message: 'must be alone in its term; move the other fields to another term' }];
  });
}

const iamName = /^[A-Za-z0-9+=,.@_-]+$/;

function roleProblems({ role, instanceProfile }: Ec2NodeClassSpec): Problem[] {
  if (role === undefined && instanceProfile === undefined) {
    return [
      {
        path: 'spec.role',
        message: 'is required: set the role of the nodes, or an instance profile in spec.instanceProfile',
      },
    ];
  }
  if (role !== undefined && instanceProfile !== undefined) {
    return [{ path: 'spec.instanceProfile', message: 'cannot be combined with spec.role; set only one of them' }];
  }
  if (role?.includes('/') || role?.includes(':')) {
    return [{ path: 'spec.role', message: 'must be the name of a role, not its ARN or path' }];
  }
  if (instanceProfile?.includes('/') || instanceProfile?.includes(':')) {
    return [{ path: 'spec.instanceProfile', message: 'must be the name of a profile, not its ARN or path' }];
  }
  const [path, name] = role === undefined ? ['spec.instanceProfile', instanceProfile] : ['spec.role', role];
  if (name === undefined || iamName.test(name)) return [];
  return [{ path, message: 'IAM names have only ASCII letters, digits and + = , . @ _ -; check the spelling' }];
}

function deviceProblems({ blockDeviceMappings = [] }: Ec2NodeClassSpec): Problem[] {
  const path = 'spec.blockDeviceMappings';
  const problems: Problem[] = [];
  const names = new Set<string>();
  for (const [index, { deviceName, ebs }] of blockDeviceMappings.entries()) {
    const at = `${path}[${index}]`;
    if (deviceName === undefined) problems.push({ path: `${at}.deviceName`, message: 'is missing, such as /dev/xvda' });
    else if (names.has(deviceName))
      problems.push({
        path: `${at}.deviceName`,
        message: `${deviceName} occurs twice; give each volume its own device`,
      });
    else names.add(deviceName);
    if (ebs === undefined) problems.push({ path: `${at}.ebs`, message: 'is required: set the size of the volume' });
    else if (ebs.volumeSize === undefined && ebs.snapshotID === undefined) {
      problems.push({ path: `${at}.ebs.volumeSize`, message: 'is required, unless there is a snapshotID' });
    } else problems.push(...volumeProblems(ebs, `${at}.ebs`));
  }
  if (blockDeviceMappings.filter((one) => one.rootVolume).length > 1) {
    problems.push({ path, message: 'at most one device can be the rootVolume' });
  }
  return problems;
}

function volumeProblems(
  { volumeInitializationRate, snapshotID }: NonNullable<BlockDevice['ebs']>,
  at: string,
): Problem[] {
  if (volumeInitializationRate === undefined || snapshotID !== undefined) return [];
  return [{ path: `${at}.volumeInitializationRate`, message: 'needs a snapshotID, from which the volume is filled' }];
}

/** As Go writes durations, which is how the kubelet reads them. */
const duration = /^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/;

function kubeletProblems({ kubelet }: Ec2NodeClassSpec): Problem[] {
  const problems: Problem[] = [];
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = kubelet ?? {};
  if (high !== undefined && low !== undefined && high <= low) {
    problems.push({
      path: 'spec.kubelet.imageGCHighThresholdPercent',
      message: `is ${high}; it must be above imageGCLowThresholdPercent (${low})`,
    });
  }
  for (const [index, address] of (kubelet?.clusterDNS ?? []).entries()) {
    if (isIP(address) !== 0) continue;
    problems.push({ path: `spec.kubelet.clusterDNS[${index}]`, message: 'must be an IP address, such as 10.100.0.10' });
  }
  for (const [signal, grace] of Object.entries(kubelet?.evictionSoftGracePeriod ?? {})) {
    if (duration.test(grace)) continue;
    const path = `spec.kubelet.evictionSoftGracePeriod["${signal}"]`;
    problems.push({ path, message: 'must be a duration, such as 90s or 1m30s' });
  }
  const soft = Object.keys(kubelet?.evictionSoft ?? {});
  const grace = Object.keys(kubelet?.evictionSoftGracePeriod ?? {});
  for (const signal of soft.filter((one) => !grace.includes(one))) {
    problems.push({ path: `spec.kubelet.evictionSoft["${signal}"]`, message: 'needs its evictionSoftGracePeriod' });
  }
  for (const signal of grace.filter((one) => !soft.includes(one))) {
    problems.push({
      path: `spec.kubelet.evictionSoftGracePeriod["${signal}"]`,
      message: 'needs its threshold in evictionSoft',
    });
  }
  for (const field of ['kubeReserved', 'systemReserved'] as const) {
    for (const [name, amount] of Object.entries(kubelet?.[field] ?? {})) {
      if (amount.startsWith('-')) {
        problems.push({ path: `spec.kubelet.${field}["${name}"]`, message: 'must not be negative' });
      }
    }
  }
  return problems;
}

function placementProblems({ placementGroupSelector: group }: Ec2NodeClassSpec): Problem[] {
  if (group === undefined || (group.id === undefined) !== (group.name === undefined)) return [];
  return [{ path: 'spec.placementGroupSelector', message: 'set either the id or the name of the placement group' }];
}
