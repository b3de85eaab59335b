/** The demo on virtual machines behind a provider server, which is the mock. */
import { machineNodeClass } from '../remote/node-class.ts';
import { claimOf, impatience, type Scene, wishesWith } from './scene.ts';

const settings = { taskTime: 0.4, readySeconds: 0.5 };

export const remote: Scene = {
  name: 'remote',
  exampleSettings: '{"taskTime": 2}',
  cloud: 'a provider server with simulated machines',
  choosesItself: false,
  simulate: ['--provider', 'remote', '--settings', JSON.stringify(settings)],
  wishes: wishesWith(false),
  nodeClass: machineNodeClass(),
  claim: (name) =>
    claimOf(remote.wishes[name], name, {
      group: 'poolwright.dev',
      kind: 'MachineNodeClass',
      name: 'default',
    }),
  provider: ({ standIn }) => ({ type: 'remote', ...standIn?.options.remote, ...impatience }),
  hostEnv: ({ standIn }) => standIn?.env ?? {},
  isMachine: (providerID, instance) => providerID.endsWith(`/${instance}`),
  start: async (where, given) => {
    const { startRemoteWorld } = await import('./remote.ts');
    return startRemoteWorld(where, given);
  },
};
