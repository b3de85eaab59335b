/**
 * What each error code of AWS means for us, in one table: those of EC2, and those that its neighbors (STS, SSM, IAM, EKS,
 * Pricing) have in common. Rules are tried from the top. The code decides, not the status: EC2 answers 500 to a type that is
 * sold out and 503 to a caller that is too quick.
 */
import { defined } from '../../../base/defined.ts';
import type { ErrorKind } from '../../../base/result.ts';
import type { OfferingRef, OfferingScope } from '../../../nodes/claims/choice/offerings.ts';
import { clockSkew, credentialRefused, missingRight } from './unauthorised.ts';

/** What was asked for, as far as an error needs it. */
export interface Ec2Request {
  /** `ec2`, `ssm`, …; with the action it is the right that the call needs: `ec2:CreateFleet`. */
  service: string;
  action: string;
  region: string;
  /** A lost answer to a write may hide that it was done. */
  write: boolean;
}

export interface Ec2Signal {
  code: string;
  text: string;
  asked: Ec2Request;
}

export interface Rule {
  codes: readonly string[];
  /** Codes such as InvalidParameterValue stand for many things; the text of AWS tells them apart, and `as` is what it told. */
  told?: { by: RegExp; as: string };
  kind: ErrorKind;
  /** How long the offering is passed over, or the call is not repeated. */
  pauseSeconds?: number;
  /** What is wrong and what to do, before what AWS says itself. */
  say?(seen: Ec2Signal): string;
  /** All that AWS says is in what we say: it is not said twice. */
  saysAll?: true;
  /** What else can't be had for the same reason as this offering. */
  scope?(offering: OfferingRef): OfferingScope;
  /** The quota is one of a class of types, of which the catalog knows the members. */
  byQuotaClass?: true;
  /** Another subnet of the zone may have room. */
  fullSubnet?: true;
  /** What a node class was resolved to is no longer true. */
  staleClass?: true;
  lasting?: true;
  /** Which of the instances that were asked for AWS says that it does not know. */
  absent?(text: string): readonly string[];
}

const hour = 3600;
/** As long as Karpenter passes over an offering that was out. */
const soldOutSeconds = 180;
const quotaSeconds = 600;

const stale = (codes: readonly string[], what: string, told?: Rule['told']): Rule => ({
  codes,
  ...defined({ told }),
  kind: 'not-ready',
  pauseSeconds: 20,
  staleClass: true,
  say: () => `${what}; the node class is resolved again, and its conditions name the term without a match`,
});

export const rules: readonly Rule[] = [
  {
    codes: [
      'InsufficientInstanceCapacity',
      'UnfulfillableCapacity',
      'InsufficientCapacity',
      'InsufficientHostCapacity',
    ],
    kind: 'insufficient-capacity',
    pauseSeconds: soldOutSeconds,
    say: () => 'AWS is out of capacity for this instance type here',
  },
  {
    codes: ['SpotMaxPriceTooLow'],
    kind: 'insufficient-capacity',
    pauseSeconds: soldOutSeconds,
    say: () => 'the spot price is above the maximum price',
  },
  {
    codes: ['ReservationCapacityExceeded'],
    kind: 'insufficient-capacity',
    pauseSeconds: soldOutSeconds,
    say: () => 'the capacity reservation is used up',
    scope: ({ instanceType, zone }) => ({ instanceType, zone, capacityType: 'reserved' }),
  },
  {
    codes: ['InsufficientFreeAddressesInSubnet'],
    kind: 'insufficient-capacity',
    pauseSeconds: soldOutSeconds,
    fullSubnet: true,
    say: () => 'the subnet has no free addresses; use a larger one, or select more subnets in the node class',
    scope: ({ zone }) => ({ zone }),
  },
  {
    // A type that is not sold in a zone, or not to this account, will not be in a minute either.
    codes: ['Unsupported', 'UnsupportedOperation', 'InstanceTypeNotSupported'],
    kind: 'insufficient-capacity',
    pauseSeconds: 6 * hour,
    say: () => 'AWS does not offer this instance type here',
  },
  {
    codes: ['MaxSpotInstanceCountExceeded'],
    kind: 'quota-exceeded',
    pauseSeconds: quotaSeconds,
    say: () =>
      'the quota for spot instances of this account and region is used up; request an increase, or allow on-demand',
    scope: () => ({ capacityType: 'spot' }),
  },
  {
    codes: ['AuthFailure.ServiceLinkedRoleCreationNotPermitted'],
    kind: 'quota-exceeded',
    pauseSeconds: quotaSeconds,
    say: () =>
      'the account has no service-linked role for spot yet: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
    scope: () => ({ capacityType: 'spot' }),
  },
  {
    codes: ['VcpuLimitExceeded'],
    kind: 'quota-exceeded',
    pauseSeconds: quotaSeconds,
    byQuotaClass: true,
    say: ({ text }) => `the vCPU quota of this instance family is used up${limitIn(text)}; request an increase`,
  },
  {
    codes: ['InstanceLimitExceeded', 'MaxFleetCountExceeded', 'FleetLimitExceeded', 'VolumeLimitExceeded'],
    kind: 'quota-exceeded',
    pauseSeconds: quotaSeconds,
    say: () => 'a quota of this account and region is used up; request an increase',
    scope: () => ({}),
  },

  {
    codes: [
      'RequestLimitExceeded',
      'Throttling',
      'ThrottlingException',
      'ThrottledException',
      'EC2ThrottledException',
      'RequestThrottled',
      'RequestThrottledException',
      'TooManyRequestsException',
      'BandwidthLimitExceeded',
      'PriorRequestNotComplete',
      'SlowDown',
    ],
    kind: 'throttled',
    say: ({ asked }) => `this account calls ${asked.action} more often than AWS allows in ${asked.region}`,
  },

  {
    codes: ['ExpiredToken', 'ExpiredTokenException'],
    kind: 'unauthorised',
    pauseSeconds: 5,
    say: () => 'the credentials have expired, and the next call fetches new ones',
  },
  {
    codes: ['RequestExpired'],
    kind: 'unauthorised',
    pauseSeconds: 5,
    say: () =>
      'the credentials have expired, and the next call fetches new ones; if this persists, synchronize the clock of this machine',
  },
  {
    codes: ['RequestTimeTooSkewed', 'InvalidSignatureException', 'SignatureDoesNotMatch'],
    kind: 'unauthorised',
    say: clockSkew,
  },
  {
    codes: [
      'AuthFailure',
      'InvalidClientTokenId',
      'UnrecognizedClientException',
      'InvalidAccessKeyId',
      'MissingAuthenticationToken',
      'IncompleteSignature',
      'CredentialsProviderError',
    ],
    kind: 'unauthorised',
    say: credentialRefused,
  },
  {
    codes: ['OptInRequired', 'PendingVerification', 'Blocked'],
    kind: 'unauthorised',
    say: ({ asked }) => `the account may not use EC2 in ${asked.region}; its owner has to enable the region or ask AWS`,
  },
  {
    codes: [
      'UnauthorizedOperation',
      'AccessDenied',
      'AccessDeniedException',
      'NotAuthorized',
      'NotAuthorizedException',
      'UnauthorizedAccess',
    ],
    kind: 'unauthorised',
    say: missingRight,
    saysAll: true,
  },

  {
    codes: [
      'InvalidLaunchTemplateName.NotFoundException',
      'InvalidLaunchTemplateId.NotFound',
      'InvalidLaunchTemplateId.VersionNotFound',
    ],
    kind: 'not-found',
    say: () => 'the launch template does not exist',
  },
  stale(['InvalidAMIID.NotFound', 'InvalidAMIID.Unavailable'], 'the image does not exist'),
  stale(['InvalidSubnetID.NotFound', 'InvalidSubnet'], 'the subnet does not exist'),
  stale(['InvalidGroup.NotFound', 'InvalidSecurityGroupID.NotFound'], 'a security group does not exist'),
  stale(['InvalidCapacityReservationId.NotFound'], 'the capacity reservation does not exist'),
  stale(['InvalidPlacementGroup.Unknown', 'InvalidPlacementGroupId.NotFound'], 'the placement group does not exist'),
  stale(
    ['InvalidParameterValue', 'InvalidParameter'],
    'the instance profile does not exist yet (a new one takes a few seconds)',
    { by: /instance ?profile/i, as: 'InstanceProfile' },
  ),
  {
    codes: ['InvalidUserData.Malformed', 'InvalidParameterValue'],
    told: { by: /user ?data/i, as: 'UserData' },
    kind: 'invalid',
    say: () => 'AWS refuses the user data; it may have at most 16 KB',
  },

  {
    codes: [
      'InvalidInstanceID.NotFound',
      'InvalidInstanceID.Malformed',
      'ParameterNotFound',
      'NoSuchEntity',
      'NoSuchEntityException',
      'ResourceNotFoundException',
    ],
    kind: 'not-found',
    // `The instance IDs 'i-1, i-2' do not exist`
    absent: (text) => text.match(/i-[0-9a-z]+/g) ?? [],
  },
  {
    codes: ['IdempotentParameterMismatch', 'IdempotentInstanceTerminated'],
    kind: 'conflict',
    say: () => 'the token of this attempt was used before, with other parameters',
  },
  {
    codes: ['OperationNotPermitted'],
    told: { by: /disableApiTermination|terminat/i, as: 'TerminationProtection' },
    kind: 'conflict',
    lasting: true,
    say: () => 'the instance has termination protection; turn it off',
  },
  {
    codes: [
      'InvalidLaunchTemplateName.AlreadyExistsException',
      'EntityAlreadyExists',
      'EntityAlreadyExistsException',
      'IncorrectInstanceState',
      'ConcurrentModification',
    ],
    kind: 'conflict',
  },
  {
    codes: ['InvalidAction', 'UnknownOperationException', 'NoSuchVersion'],
    kind: 'invalid',
    say: ({ asked }) =>
      `the endpoint of ${asked.service} in ${asked.region} does not support ${asked.action}; check endpoint and region`,
  },
];

/** `You have requested more vCPU capacity than your current vCPU limit of 32 allows …` */
function limitIn(text: string): string {
  const limit = /limit of (\d+)/i.exec(text)?.[1];
  return limit === undefined ? '' : ` (limit ${limit})`;
}

export function ruleFor(seen: Ec2Signal): Rule | undefined {
  return rules.find(({ codes, told }) => codes.includes(seen.code) && (told === undefined || told.by.test(seen.text)));
}

/** The code of a failure: AWS's own, and after it what its text told: `InvalidParameterValue.InstanceProfile`. */
export const codeBy = (code: string, { told }: Pick<Rule, 'told'> = {}): string =>
  told === undefined ? code : `${code}.${told.as}`;

/** The rule by which a failure got its code. */
export const ruleBehind = (code: string): Rule | undefined =>
  rules.find((rule) => rule.codes.some((one) => codeBy(one, rule) === code));
