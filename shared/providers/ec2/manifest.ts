/** EC2 instances by Karpenter's EC2NodeClass. */
import type * as Fields from '../../base/fields.ts';
import type { ProviderManifest } from '../manifest.ts';
import { ec2NodeClasses } from './kinds.ts';

/** Where machines are made and what they join. Whether AWS has it is for the provider to say. */
const placeFields = ({ text, httpUrl }: typeof Fields) => ({
  region: text.optional(),
  clusterName: text.optional(),
  clusterEndpoint: httpUrl.optional(),
  clusterCA: text.optional(),
  kubernetesVersion: text.optional(),
  serviceCidr: text.optional(),
  /** The URL or the name of a queue that EventBridge fills. */
  interruptionQueue: text.optional(),
});

export const manifest = {
  type: 'ec2',
  title: 'EC2: instances that join EKS',
  nodeClasses: ec2NodeClasses,
  options: (fields) => {
    const { text, flag, count, number, mapOf, object, httpUrl } = fields;
    return {
      ...placeFields(fields),
      endpoint: httpUrl.optional(),
      roleArn: text.optional(),
      externalId: text.optional(),
      serveEc2NodeClasses: flag.optional(),
      vmMemoryOverheadPercent: number.min(0).lt(1).optional(),
      reservedENIs: count(0, 100).optional(),
      /** By the name of the action; what is absent is as EC2 documents it. */
      requestRates: mapOf(
        text,
        object({ burst: count(1, 100_000), perSecond: number.positive().max(100_000) }),
      ).optional(),
      prices: flag.optional(),
    };
  },
  perCluster: { section: 'aws', fields: placeFields },
  example: { region: 'us-east-1', clusterName: 'c', serveEc2NodeClasses: true },
  texts: () => import('./texts.ts'),
  access: { kind: 'eks', load: () => import('./cluster-access.ts') },
  interruptions: ({ interruptionQueue: queue, region, endpoint, roleArn, externalId }) =>
    queue ? { queue, region, endpoint, roleArn, externalId } : undefined,
  definitions: () => import('./node-class/definition.ts'),
  flags: {
    region: {
      flag: '--region <name>',
      text: 'the region to create instances in',
      ask: 'Region to create instances in',
    },
    clusterName: {
      flag: '--cluster-name <name>',
      text: 'the name of the cluster in its cloud',
      ask: 'Name of the cluster in EKS',
    },
    nodeRole: {
      flag: '--node-role <name>',
      text: 'the IAM role of the nodes (default: KarpenterNodeRole-<cluster name>)',
    },
  },
  initExample:
    'poolwright init --yes --provider ec2 --context production --region eu-west-1 --cluster-name production --pool workers',
  wizard: () => import('./wizard.ts'),
  memoryMegabytes: 1024,
  load: () => import('./module.ts'),
} as const satisfies ProviderManifest;
