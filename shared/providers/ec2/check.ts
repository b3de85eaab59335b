/**
 * Whether the provider could work: who it is at AWS, and each right by its name. EC2 tells of a right without using it (`DryRun`), but
 * of some only where there is something to use it on: those are named as not tried.
 */
import type { Check } from '../../base/checks.ts';
import type { Failure, Result } from '../../base/result.ts';
import { tags as tagKeys } from '../../nodes/claims/spec/well-known.ts';
import type { InstanceTags } from '../contract.ts';
import { foundLacking, foundWrong, passed } from '../findings.ts';
import type { Ec2Calls } from './calls/calls.ts';
import { codeIn } from './calls/errors.ts';
import type { Machines } from './machines.ts';
import { tagFilter, toSdkTags } from './tags.ts';

type Owner = Pick<InstanceTags, 'deployment' | 'cluster'>;

const rightsPage = 'add it to the policy of the role; docs/aws-rights.md lists the required permissions and why';
const credentials = 'credentials';

/** What the provider reads. None of these needs an argument. */
const reads = [
  'DescribeAvailabilityZones',
  'DescribeCapacityReservations',
  'DescribeImages',
  'DescribeInstanceTypeOfferings',
  'DescribeInstanceTypes',
  'DescribeLaunchTemplates',
  'DescribePlacementGroups',
  'DescribeSecurityGroups',
  'DescribeSpotPriceHistory',
  'DescribeSubnets',
] as const;

/** `untried`: there was nothing to try it on. */
type Tried = { right: string; result: 'allowed' | 'untried' | Failure };

export interface CheckParts {
  calls: Pick<Ec2Calls, 'ec2' | 'sts' | 'ssm' | 'pricing' | 'region'>;
  machines: Pick<Machines, 'page'>;
  /** Whether prices are read at all. */
  prices: boolean;
}

export async function checkEc2(parts: CheckParts, owner: Owner, signal: AbortSignal): Promise<Check[]> {
  const { calls } = parts;
  const identity = await calls.sts('GetCallerIdentity', {}, signal);
  if (!identity.ok) {
    return [foundWrong(credentials, identity.error, 'check which credentials are used: aws sts get-caller-identity')];
  }
  const { Arn: arn = 'somebody', Account: account = 'unknown' } = identity.value;
  const who = passed(credentials, `${arn}, account ${account}, region ${calls.region}`);
  const listed = await parts.machines.page(owner, undefined, signal);
  const [some] = listed.ok ? listed.value.items : [];
  const tried = await Promise.all([
    toldBy('ec2:DescribeInstances', listed),
    ...reads.map(async (action) => dryRun(`ec2:${action}`, await calls.ec2(action, { DryRun: true }, signal))),
    createTemplate(parts, owner, signal),
    createFleet(parts, owner, signal),
    some === undefined
      ? untried('ec2:TerminateInstances')
      : calls
          .ec2('TerminateInstances', { InstanceIds: [some.id], DryRun: true }, signal)
          .then((answer) => dryRun('ec2:TerminateInstances', answer)),
    imageParameter(parts, signal),
  ]);
  return [who, ...rightChecks(tried), ...(parts.prices ? [await priceCheck(parts, signal)] : [])];
}

function rightChecks(tried: readonly Tried[]): Check[] {
  const wrong = tried.flatMap(({ right, result }) =>
    typeof result === 'string' ? [] : [foundWrong(`right ${right}`, result, rightsPage)],
  );
  if (wrong.length > 0) return wrong;
  const untriedRights = tried.filter(({ result }) => result === 'untried').map(({ right }) => right);
  const rest =
    untriedRights.length === 0
      ? ''
      : `; not checked, because there is no resource to check them on: ${untriedRights.join(', ')}`;
  return [passed('rights', `${tried.length - untriedRights.length} were checked and are granted${rest}`)];
}

/** With our tag, because the role may make nothing without it. */
async function createTemplate({ calls }: CheckParts, owner: Owner, signal: AbortSignal): Promise<Tried> {
  const tags = toSdkTags({ [tagKeys.deployment]: owner.deployment });
  const answer = await calls.ec2(
    'CreateLaunchTemplate',
    {
      DryRun: true,
      LaunchTemplateName: 'poolwright-check',
      LaunchTemplateData: { InstanceType: 'm5.large' },
      TagSpecifications: [{ ResourceType: 'launch-template', Tags: tags }],
    },
    signal,
  );
  return dryRun('ec2:CreateLaunchTemplate', answer);
}

/** A fleet needs a template, and only one of ours may be used. */
async function createFleet({ calls }: CheckParts, owner: Owner, signal: AbortSignal): Promise<Tried> {
  const right = 'ec2:CreateFleet';
  const Filters = [tagFilter(tagKeys.deployment, owner.deployment)];
  const templates = await calls.ec2('DescribeLaunchTemplates', { Filters, MaxResults: 5 }, signal);
  const id = templates.ok ? templates.value.LaunchTemplates?.[0]?.LaunchTemplateId : undefined;
  if (id === undefined) return untried(right);
  const tags = toSdkTags({ [tagKeys.deployment]: owner.deployment });
  const answer = await calls.ec2(
    'CreateFleet',
    {
      DryRun: true,
      Type: 'instant',
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateId: id, Version: '$Latest' } }],
      TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
      TagSpecifications: [
        { ResourceType: 'fleet', Tags: tags },
        { ResourceType: 'instance', Tags: tags },
      ],
    },
    signal,
  );
  return dryRun(right, answer);
}

/** There is no parameter of that name; whoever may ask hears so. */
async function imageParameter({ calls }: CheckParts, signal: AbortSignal): Promise<Tried> {
  const Name = '/aws/service/eks/optimized-ami/none';
  return toldBy('ssm:GetParameter', await calls.ssm('GetParameter', { Name }, signal));
}

async function priceCheck({ calls }: CheckParts, signal: AbortSignal): Promise<Check> {
  const asked = await calls.pricing('GetProducts', { ServiceCode: 'AmazonEC2', MaxResults: 1 }, signal);
  if (asked.ok) return passed('prices', 'the price list can be read');
  return foundLacking(
    'prices',
    asked.error,
    'add pricing:GetProducts to the policy, or set prices: false; prices are unknown without it',
  );
}

const untried = (right: string): Tried => ({ right, result: 'untried' });

/** What is refused for any other reason than a missing right was allowed. */
function toldBy(right: string, answer: Result<unknown>): Tried {
  if (answer.ok || answer.error.kind === 'not-found') return { right, result: 'allowed' };
  return { right, result: answer.error };
}

/** EC2 looks at the rights first; what it finds wrong with the rest afterwards says nothing about them. */
function dryRun(right: string, answer: Result<unknown>): Tried {
  if (answer.ok || codeIn(answer.error) === 'DryRunOperation') return { right, result: 'allowed' };
  const { kind } = answer.error;
  const telling =
    kind === 'unauthorised' || kind === 'unavailable' || kind === 'throttled' || kind === 'outcome-unknown';
  return telling ? { right, result: answer.error } : untried(right);
}
