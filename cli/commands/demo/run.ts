/** `poolwright demo`: the story of claims on one of the clouds. */
import { join } from 'node:path';
import type { Places, Scene } from '../../../sim/scenes/scene.ts';
import { sceneNamed } from '../../../sim/scenes/scenes.ts';
import { type Opened, play, type Setting, within } from './frame.ts';
import { firstLine, run } from './processes.ts';
import { prove } from './proof.ts';
import { claimTable, createRows } from './rows.ts';
import { openScreen } from './screen.ts';
import { tellStory } from './story.ts';
import { openWorld, type Sight } from './world.ts';

export interface DemoOptions {
  provider: string;
}

export function demo({ provider }: DemoOptions): Promise<number> {
  const scene = sceneNamed(provider);
  const screen = openScreen(process.stdout, claimTable);
  return play(screen, `${scene.cloud} and a cluster start`, async (setting): Promise<Opened<Sight>> => {
    const at = await startWorld(scene, setting);
    const world = openWorld(at);
    const rowsOf = createRows(scene.wishes);
    return {
      look: () => world.look(),
      show: ({ claims }) => screen.show(rowsOf(claims, Date.now())),
      config: hostConfig(scene, at),
      env: scene.hostEnv(at),
      tell: (frame) => tellStory({ ...frame, scene, world }),
      prove: () => prove(world, Object.keys(scene.wishes).length),
      readFrom: "the cluster and from the cloud's ledger",
      close: () => world.close(),
    };
  });
}

async function startWorld(scene: Scene, { base, children, stop }: Setting): Promise<Places> {
  const args = ['simulate', '--data-dir', join(base, 'world'), ...scene.simulate];
  const child = run(args, join(base, 'world.log'));
  children.push(child);
  const up = await within(stop, firstLine(child, readPlaces));
  if ('ended' in up) throw new Error(`the simulated cloud and cluster did not start (${up.ended})`);
  return up.line;
}

function readPlaces(line: string): Places | undefined {
  return line.startsWith('{') ? (JSON.parse(line) as Places) : undefined;
}

const hostConfig = (scene: Scene, at: Places): object => ({
  deployment: 'demo',
  clusters: { sim: { server: at.cluster } },
  providers: { [scene.name]: scene.provider(at) },
  http: { port: 0 },
});
