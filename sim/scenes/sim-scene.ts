/** The demo on the simulated cloud. */
import { claimOf, impatience, type Scene, wishesWith } from './scene.ts';

/** Times as in a small cloud, shrunk to what one likes to watch. */
const settings = { bootSeconds: 1.5, readySeconds: 0.5, deleteSeconds: 0.6, seed: 1 };

export const sim: Scene = {
  name: 'sim',
  exampleSettings: '{"bootSeconds": 5, "seed": 7}',
  cloud: 'the simulated cloud',
  choosesItself: false,
  simulate: ['--settings', JSON.stringify(settings)],
  wishes: wishesWith(true),
  nodeClass: {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'SimNodeClass',
    metadata: { name: 'default' },
    spec: {},
  },
  claim: (name) => claimOf(sim.wishes[name], name, { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }),
  provider: ({ cloud }) => ({ type: 'sim', url: cloud, ...impatience }),
  hostEnv: () => ({}),
  isMachine: (providerID, instance) => providerID.endsWith(`/${instance}`),
};
