/** A stage for one measurement: a world, a load, and a directory for the host; all of it goes when the measurement ends. */
import { join } from 'node:path';
import type { CloudSettings } from '../../sim/cloud/settings.ts';
import { removeDirectory, temporaryDirectory } from './leftovers.ts';
import { type Load, startLoad } from './load.ts';
import { startWorldProcess, type WorldProcess } from './world.ts';

export interface Stage {
  readonly world: WorldProcess;
  readonly load: Load;
  /** A directory of this name, on the disk of this stage. */
  directory(name: string): string;
}

export async function onStage<T>(cloud: Partial<CloudSettings>, act: (stage: Stage) => Promise<T>): Promise<T> {
  const root = temporaryDirectory('stage');
  const world = await startWorldProcess(join(root, 'world'), cloud);
  const load = await startLoad(world);
  try {
    return await act({ world, load, directory: (name) => join(root, name) });
  } finally {
    load.close();
    await world.end();
    removeDirectory(root);
  }
}
