/** Where the demo plays and what `poolwright simulate` starts: a scene for each provider. */
import { ec2 } from './aws-scene.ts';
import { aks, arc } from './azure-scene.ts';
import { cloudstack } from './cloudstack-scene.ts';
import { remote } from './remote-scene.ts';
import type { Scene } from './scene.ts';
import { sim } from './sim-scene.ts';

export const scenes: readonly Scene[] = [sim, aks, arc, ec2, cloudstack, remote];

/** Without a name, the simulated cloud. */
export const sceneNamed = (name: string = sim.name): Scene => scenes.find((scene) => scene.name === name) ?? sim;
