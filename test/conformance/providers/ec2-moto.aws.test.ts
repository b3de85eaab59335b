/**
 * The ec2 provider on moto: somebody else's idea of EC2, so that we don't only agree with ourselves. It knows no faults and no
 * client tokens, and ends machines at once: what that makes impossible is excluded below, case by case.
 */
import {
  DeleteTagsCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  IAMClient,
} from '@aws-sdk/client-iam';
import { afterAll, beforeAll } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { manualClock } from '../../../shared/base/runtime.ts';
import { tags as tagKeys } from '../../../shared/nodes/claims/spec/well-known.ts';
import { clientOptions } from '../../../shared/platforms/aws/client-options.ts';
import type { ProviderContext } from '../../../shared/providers/context.ts';
import { assembleEc2 } from '../../../shared/providers/ec2/assemble.ts';
import { readEc2Options } from '../../../shared/providers/ec2/options.ts';
import type { Ec2Provider } from '../../../shared/providers/ec2/provider.ts';
import { ec2Tags } from '../../../shared/providers/ec2/tags.ts';
import { useMoto } from '../../aws/use-stand-ins.ts';
import { testContext } from '../../stand-ins/provider-context.ts';
import { providerConformance } from './conformance.ts';
import type { ProviderHarness } from './harness.ts';
import { value } from './requests.ts';

const moto = useMoto();
const profile = 'nodes';
const clock = manualClock(Date.now());
let ec2: EC2Client;
let context: ProviderContext;
interface Account {
  spec: { [field: string]: Json };
  image: string;
}
let account: Account;

beforeAll(async () => {
  const connection = moto.connection();
  ec2 = new EC2Client(clientOptions(connection));
  const { accessKeyId, secretAccessKey } = moto.get().credentials;
  // One state for all tests: moto takes seconds to list its types.
  context = testContext({
    clock,
    env: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ENDPOINT_URL: connection.endpoint,
    },
  });
  account = await setUpAccount();
});
afterAll(() => ec2.destroy());

/** What moto gives every account, and a profile for nodes. */
async function setUpAccount(): Promise<Account> {
  const connection = moto.connection();
  const iam = new IAMClient(clientOptions(connection));
  await iam.send(new CreateRoleCommand({ RoleName: profile, AssumeRolePolicyDocument: '{}' }));
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: profile }));
  await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: profile, RoleName: profile }));
  iam.destroy();
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({}));
  const { Images = [] } = await ec2.send(
    new DescribeImagesCommand({ Filters: [{ Name: 'architecture', Values: ['x86_64'] }] }),
  );
  const image = Images[0]?.ImageId ?? '';
  const spec = {
    amiFamily: 'AL2023',
    amiSelectorTerms: [{ id: image }],
    subnetSelectorTerms: Subnets.map(({ SubnetId = '' }) => ({ id: SubnetId })),
    securityGroupSelectorTerms: [{ id: SecurityGroups[0]?.GroupId ?? '' }],
    instanceProfile: profile,
  };
  return { spec, image };
}

const noTokens = 'moto makes a second fleet for a token that it has seen';
const runsAtOnce = 'with moto a machine runs as soon as somebody looks at it';
const endsAtOnce = 'with moto a machine has ended as soon as its end is asked for';

providerConformance('ec2 on moto', {
  idempotency: 'token',
  tellsPauses: false,
  // moto knows no faults.
  injections: [],
  excluded: {
    'makes and deletes nothing':
      'moto makes no dry run of a look: it reads out all types and images of a region, for half a minute a check',
    'finds nothing wrong with a cloud that works, and says who it is there':
      'it knows neither DescribeCapacityReservations nor DescribePlacementGroups',
    'makes one instance when it is begun many times at once': noTokens,
    'deletes what is still being created, and it never runs': runsAtOnce,
    'tells whoever waits for the create that it is being deleted': endsAtOnce,
    'finds what is booting and what is being deleted': runsAtOnce,
  },
  start,
});

const machinesOf = async (states: string[]): Promise<string[]> => {
  const filters = states.length === 0 ? {} : { Filters: [{ Name: 'instance-state-name', Values: states }] };
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand(filters));
  return Reservations.flatMap(({ Instances = [] }) => Instances.flatMap(({ InstanceId = '' }) => InstanceId));
};

/** What has ended is shown on, and the next test has claims of the same names: it must not find these. */
async function leaveNothing(): Promise<void> {
  const living = await machinesOf(['pending', 'running']);
  if (living.length > 0) await ec2.send(new TerminateInstancesCommand({ InstanceIds: living }));
  const all = await machinesOf([]);
  const keys = [tagKeys.deployment, tagKeys.claimUid, ec2Tags.token].map((Key) => ({ Key }));
  if (all.length > 0) await ec2.send(new DeleteTagsCommand({ Resources: all, Tags: keys }));
}

async function start(): Promise<ProviderHarness> {
  const { spec, image } = account;
  const options = {
    region: moto.connection().region,
    clusterName: 'east',
    clusterEndpoint: 'https://east.example',
    clusterCA: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    kubernetesVersion: '1.34',
    serviceCidr: '10.100.0.0/16',
    prices: false,
    listLagSeconds: 2,
    requestRates: {
      CreateFleet: { burst: 1000, perSecond: 1000 },
      TerminateInstances: { burst: 1000, perSecond: 1000 },
    },
  };
  const providers: Ec2Provider[] = [];
  const anotherProvider = (): Ec2Provider => {
    const provider = assembleEc2(value(readEc2Options(options, {})), context, { windowMs: 0, pageSize: 2 });
    providers.push(provider);
    return provider;
  };
  return {
    provider: anotherProvider(),
    anotherProvider,
    nodeClass: { name: 'default', spec },
    wrongNodeClass: { spec: { ...spec, subnetz: [] }, field: 'subnetz' },
    offering: { instanceType: 'm5.large', zone: `${options.region}a`, capacityType: 'on-demand' },
    advance: async (seconds) => clock.advance(Math.ceil(seconds * 1000)),
    makeForeign: async (name) => {
      const { Instances = [] } = await ec2.send(
        new RunInstancesCommand({
          ImageId: image,
          MinCount: 1,
          MaxCount: 1,
          TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: name }] }],
        }),
      );
      return Instances[0]?.InstanceId ?? '';
    },
    living: () => machinesOf(['pending', 'running']),
    inject: async ({ do: fault }) => {
      throw new Error(`moto knows no faults: ${fault}`);
    },
    untilHeld: async () => {},
    close: async () => {
      for (const provider of providers) provider.close();
      await leaveNothing();
    },
  };
}
