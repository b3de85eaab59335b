/** The demo on VMs of CloudStack, on the stand-in for it. */
import { cloudStackNodeClass } from '../cloudstack/node-class.ts';
import { claimOf, impatience, type Scene, wishesWith } from './scene.ts';

const settings = { bootSeconds: 1.5, readySeconds: 0.5, destroySeconds: 0.6, seed: 1 };

export const cloudstack: Scene = {
  name: 'cloudstack',
  exampleSettings: '{"bootSeconds": 5}',
  cloud: 'the stand-in for CloudStack',
  choosesItself: false,
  simulate: ['--provider', 'cloudstack', '--settings', JSON.stringify(settings)],
  wishes: wishesWith(true),
  nodeClass: cloudStackNodeClass(),
  claim: (name) =>
    claimOf(cloudstack.wishes[name], name, {
      group: 'karpenter.k8s.cloudstack',
      kind: 'CloudStackNodeClass',
      name: 'default',
    }),
  provider: ({ standIn }) => ({ type: 'cloudstack', ...standIn?.options.cloudstack, ...impatience }),
  hostEnv: ({ standIn }) => standIn?.env ?? {},
  isMachine: (providerID, instance) => providerID.endsWith(`/${instance}`),
  start: async (where, given) => {
    const [{ startCloudStackWorld, cloudStackProviderOptions, cloudStackEnvironment }, { readCloudStackSettings }] =
      await Promise.all([import('./cloudstack.ts'), import('./cloudstack-settings.ts')]);
    const read = given === undefined ? undefined : readCloudStackSettings(given);
    const role = read?.role ?? 'user';
    const world = await startCloudStackWorld({ ...where, ...(read === undefined ? {} : { cloudstack: read.options }) });
    const { cluster, close } = world;
    const standIn = {
      options: { cloudstack: cloudStackProviderOptions(world.cloudstack, role) },
      env: cloudStackEnvironment(world.cloudstack, role),
    };
    return { places: { cluster: cluster.url, cloud: world.cloudstack.url, standIn }, close };
  },
};
