/** One attempt as an instant fleet of one machine: many offerings in one call, and what the answer says about each of them. */

import type { CreateFleetCommandInput, CreateFleetCommandOutput, CreateFleetError } from '@aws-sdk/client-ec2';
import { defined } from '../../../base/defined.ts';
import type { Failure } from '../../../base/result.ts';
import {
  nameOffering,
  type OfferingRef,
  type OfferingScope,
  offeringKey,
  type RefusedOffering,
} from '../../../nodes/claims/choice/offerings.ts';
import type { Ec2Request } from '../calls/error-rules.ts';
import { failureOf, ruleOf } from '../calls/errors.ts';
import { accountLabels, type Buyer, classLabels } from '../catalog/labels.ts';
import { type Tags, toSdkTags } from '../tags.ts';

/** An offering with the subnet and the template that it is launched with. */
export interface Candidate {
  offering: OfferingRef;
  subnetId: string;
  template: string;
}

export interface FleetWish {
  token: string;
  /** Best first, all of one capacity type. */
  candidates: readonly Candidate[];
  tags: Tags;
  context?: string;
}

export function fleetInput({ token, candidates, tags, context }: FleetWish): CreateFleetCommandInput {
  const spot = candidates[0]?.offering.capacityType === 'spot';
  const templates = [...new Set(candidates.map(({ template }) => template))];
  const ranked = candidates.map((candidate, rank) => ({ ...candidate, rank }));
  const sdkTags = toSdkTags(tags);
  return {
    Type: 'instant',
    ClientToken: token,
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: spot ? 'spot' : 'on-demand' },
    LaunchTemplateConfigs: templates.map((name) => ({
      LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
      Overrides: ranked
        .filter(({ template }) => template === name)
        .map(({ offering, subnetId, rank }) => ({
          InstanceType: sdkType(offering.instanceType),
          SubnetId: subnetId,
          AvailabilityZone: offering.zone,
          // Spot looks at how much is left besides the price, and takes no order from us.
          ...(spot ? {} : { Priority: rank }),
        })),
    })),
    ...(spot
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' as const } }
      : { OnDemandOptions: { AllocationStrategy: 'prioritized' as const } }),
    TagSpecifications: (['instance', 'volume', 'fleet'] as const).map((ResourceType) => ({
      ResourceType,
      Tags: sdkTags,
    })),
    ...defined({ Context: context }),
  };
}

/** New types come out every month: what the SDK lists is not all there is. */
type SdkType = NonNullable<
  NonNullable<
    NonNullable<CreateFleetCommandInput['LaunchTemplateConfigs']>[number]['Overrides']
  >[number]['InstanceType']
>;
const sdkType = (name: string): SdkType => name as SdkType;

export interface FleetOutcome {
  instanceId?: string;
  /** What the machine was made of. */
  instanceType?: string;
  /** What was tried and could not be had. */
  refused: RefusedOffering[];
  /** Why there is no machine; absent when there is one. */
  failure?: Failure;
  /** EC2 was asked too often for the launches within the fleet. */
  throttled?: true;
  /** The class has to be resolved again, or a template made again: what the launch was made from is gone. */
  stale?: 'class' | 'template';
}

/** What the answer alone does not tell about a refusal. */
export interface RefusalFacts {
  /** Quotas are of an account and its region, subnets and reservations of a class: what is used up here says nothing about others. */
  buyer: Buyer;
  className: string;
  /** What else can't be had, for a refusal that holds for a whole class of types. */
  quotaScope(offering: OfferingRef): RefusedOffering['scope'];
  /** The subnet has no address left; whether the zone has another one, which the next attempt takes. */
  isReplaced(subnetId: string, zone: string): boolean;
}

export function readFleet(
  answer: Pick<CreateFleetCommandOutput, 'Instances' | 'Errors'>,
  candidates: readonly Candidate[],
  asked: Ec2Request,
  facts: RefusalFacts,
): FleetOutcome {
  const made = answer.Instances?.find(({ InstanceIds }) => (InstanceIds?.length ?? 0) > 0);
  const instanceId = made?.InstanceIds?.[0];
  const errors = (answer.Errors ?? []).map((error) => readError(error, candidates, asked));
  const refused = errors.flatMap((error) => refusalsOf(error, facts));
  if (instanceId !== undefined) {
    const instanceType = made?.InstanceType;
    return { instanceId, ...defined({ instanceType }), refused };
  }
  const throttled = errors.some(({ failure }) => failure.kind === 'throttled');
  return { refused, ...failureIn(errors, refused, candidates), ...(throttled ? { throttled } : {}) };
}

interface LaunchError {
  failure: Failure;
  /** Those that it is about: one, or all where it names none. */
  about: readonly Candidate[];
}

function readError(error: CreateFleetError, candidates: readonly Candidate[], asked: Ec2Request): LaunchError {
  const { ErrorCode: code = '', ErrorMessage: text = '', LaunchTemplateAndOverrides: tried } = error;
  const { InstanceType: type, SubnetId: subnet, AvailabilityZone: zone } = tried?.Overrides ?? {};
  const about = candidates
    .filter(({ offering }) => type === undefined || offering.instanceType === type)
    .filter(({ subnetId }) => subnet === undefined || subnetId === subnet)
    .filter(({ offering }) => zone === undefined || offering.zone === zone);
  // The whole call was answered: nothing is unknown about it. But what EC2 stumbled over is nobody's mistake.
  const stumbled = /^(Internal|Server|Service|Unavailable)/.test(code);
  const status = stumbled ? 503 : 400;
  return { failure: failureOf({ code, text, answered: true, sent: true, status }, { ...asked, write: false }), about };
}

function refusalsOf({ failure, about }: LaunchError, facts: RefusalFacts): RefusedOffering[] {
  const { kind, message, retryAfterSeconds } = failure;
  if (kind !== 'insufficient-capacity' && kind !== 'quota-exceeded') return [];
  const rule = ruleOf(failure);
  return about.flatMap(({ offering, subnetId }) => {
    if (rule?.fullSubnet && facts.isReplaced(subnetId, offering.zone)) return [];
    const scope = within(facts, rule?.byQuotaClass ? facts.quotaScope(offering) : rule?.scope?.(offering));
    return {
      offering,
      kind,
      message,
      ...defined({ scope, retryAfterSeconds }),
    };
  });
}

/** Marks are shared by all clusters of a deployment. What is out in one zone only is out for the class that asked. */
export function within(
  { buyer, className }: Pick<RefusalFacts, 'buyer' | 'className'>,
  scope: OfferingScope | undefined,
): OfferingScope | undefined {
  if (scope === undefined) return undefined;
  const labels = scope.zone === undefined ? accountLabels(buyer) : classLabels(buyer, className);
  return { ...scope, labels: { ...scope.labels, ...labels } };
}

/** The next attempt takes another subnet of the zone. */
const otherSubnetSeconds = 1;

/**
 * Why nothing was made. The token is used up by an answer, also by one without a machine: a repeat would be given the same answer.
 * So what would else be tried again as it is (throttled, something gone, a full subnet beside another) is `spent`: it has to be another
 * attempt, and nothing is out for it.
 */
function failureIn(
  errors: readonly LaunchError[],
  refused: RefusedOffering[],
  candidates: readonly Candidate[],
): Pick<FleetOutcome, 'failure' | 'stale'> {
  const failures = errors.map(({ failure }) => failure);
  const forbidden = failures.find(({ kind }) => kind === 'unauthorised');
  if (forbidden !== undefined) return { failure: { ...forbidden, refused } };
  const staleClass = failures.find((failure) => ruleOf(failure)?.staleClass);
  const staleTemplate = failures.find(({ kind }) => kind === 'not-found');
  const stale =
    staleClass === undefined
      ? staleTemplate === undefined
        ? {}
        : { stale: 'template' as const }
      : { stale: 'class' as const };
  const other = staleClass ?? staleTemplate ?? failures.find(({ kind }) => !isRefusal(kind));
  if (other?.kind === 'invalid' && refused.length === 0) return { failure: other };
  const first = candidates[0]?.offering;
  const what = first === undefined ? 'the offering' : describe(candidates);
  const unsold = failures.find(({ kind }) => isRefusal(kind));
  const passing =
    other ?? (unsold && ruleOf(unsold)?.fullSubnet ? { ...unsold, retryAfterSeconds: otherSubnetSeconds } : undefined);
  if (passing !== undefined && refused.length === 0) {
    const kind = passing.kind === 'not-found' ? 'unavailable' : passing.kind;
    return {
      ...stale,
      failure: {
        ...passing,
        kind,
        message: `EC2 did not launch ${what}: ${passing.message}`,
        refused,
        spent: true,
      },
    };
  }
  const worst =
    refused.every(({ kind }) => kind === 'quota-exceeded') && refused.length > 0
      ? 'quota-exceeded'
      : 'insufficient-capacity';
  const why = unsold ?? other;
  return {
    ...stale,
    failure: {
      kind: worst,
      message:
        why === undefined
          ? `EC2 did not launch ${what}, and gave no reason`
          : `EC2 did not launch ${what}: ${why.message}`,
      ...(why?.cause === undefined ? {} : { cause: why.cause }),
      refused: withOthers(refused, errors),
    },
  };
}

const isRefusal = (kind: Failure['kind']): boolean => kind === 'insufficient-capacity' || kind === 'quota-exceeded';

/** What fails for a reason of its own beside others that are sold out is passed over like them. */
function withOthers(refused: RefusedOffering[], errors: readonly LaunchError[]): RefusedOffering[] {
  if (refused.length === 0) return refused;
  const known = new Set(refused.map(({ offering }) => offeringKey(offering)));
  const others = errors
    .filter(({ failure }) => failure.kind === 'invalid')
    .flatMap(({ failure, about }) =>
      about
        .map(({ offering }) => offering)
        .filter((offering) => !known.has(offeringKey(offering)))
        .map((offering) => ({ offering, kind: 'insufficient-capacity' as const, message: failure.message })),
    );
  return [...refused, ...others];
}

function describe(candidates: readonly Candidate[]): string {
  const [first, ...others] = candidates;
  if (first === undefined) return 'nothing';
  const name = nameOffering(first.offering);
  return others.length === 0 ? name : `${name} or one of ${others.length} others`;
}
