/** The demo on EC2, on the stand-in for AWS. */
import { ec2NodeClass } from '../aws/node-class.ts';
import { claimOf, impatience, type Scene, wishesWith } from './scene.ts';

const settings = { pendingSeconds: 1.5, readySeconds: 0.5, shutdownSeconds: 0.6, seed: 1 };

export const ec2: Scene = {
  name: 'ec2',
  exampleSettings: '{"pendingSeconds": 5}',
  cloud: 'the stand-in for AWS',
  choosesItself: true,
  simulate: ['--provider', 'ec2', '--settings', JSON.stringify(settings)],
  wishes: wishesWith(true),
  nodeClass: ec2NodeClass(),
  claim: (name) =>
    claimOf(ec2.wishes[name], name, { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }),
  provider: ({ standIn }) => ({ type: 'ec2', ...standIn?.options.ec2, ...impatience }),
  hostEnv: ({ standIn }) => standIn?.env ?? {},
  isMachine: (providerID, instance) => providerID.endsWith(`/${instance}`),
  start: async (where, given) => {
    const [{ startAwsWorld, ec2Options, ec2Environment }, { readAwsSettings }] = await Promise.all([
      import('./aws.ts'),
      import('./aws-settings.ts'),
    ]);
    const read = given === undefined ? {} : { aws: readAwsSettings(given) };
    const { cluster, aws, close } = await startAwsWorld({ ...where, ...read });
    const standIn = { options: { ec2: ec2Options(aws) }, env: ec2Environment(aws) };
    return { places: { cluster: cluster.url, cloud: aws.url, standIn }, close };
  },
};
