/** EC2 instances by Karpenter's EC2NodeClass. */
import type * as Fields from '../../base/fields.ts';
import type { ProviderManifest } from '../manifest.ts';
import { ec2NodeClasses } from './kinds.ts';

/** Where machines are made and what they join. Whether AWS has it is for the provider to say. */
const placeFields = ({ text, httpUrl, optional }: typeof Fields) => ({
  region: optional(text),
  clusterName: optional(text),
  clusterEndpoint: optional(httpUrl),
  clusterCA: optional(text),
  kubernetesVersion: optional(text),
  serviceCidr: optional(text),
  /** The URL or the name of a queue that EventBridge fills. */
  interruptionQueue: optional(text),
});

export const manifest = {
  type: 'ec2',
  title: 'EC2: instances that join EKS',
  nodeClasses: ec2NodeClasses,
  options: (fields) => {
    const { text, flag, count, number, mapOf, object, httpUrl, optional, gte, lt, lte, positive } = fields;
    return {
      ...placeFields(fields),
      endpoint: optional(httpUrl),
      roleArn: optional(text),
      externalId: optional(text),
      serveEc2NodeClasses: optional(flag),
      vmMemoryOverheadPercent: optional(number.check(gte(0), lt(1))),
      reservedENIs: optional(count(0, 100)),
      /** By the name of the action; what is absent is as EC2 documents it. */
      requestRates: optional(
        mapOf(text, object({ burst: count(1, 100_000), perSecond: number.check(positive(), lte(100_000)) })),
      ),
      prices: optional(flag),
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
