/** advanceMachine: reads the object and does the one thing that is next. It keeps nothing in mind, so it may die or be repeated anywhere. */
import { isDeleting } from '../core/phase.ts';
import type { MachineRef, MachineServices } from '../services.ts';
import { readMachine } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import type { Life } from '../steps/life.ts';
import { againAfter, findPlace, isAgain } from '../steps/place.ts';
import { keep } from './keep.ts';
import { remove } from './remove.ts';

interface Context {
  signal: AbortSignal;
  workflowId: string;
  execution: number;
}

export const advanceMachine =
  (services: MachineServices) =>
  async ({ ref }: { ref: MachineRef }, { signal, workflowId, execution }: Context): Promise<AdvanceResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    const read = await readMachine(place.api, ref, signal);
    if (!read.ok) return againAfter(read.error);
    if (read.value === undefined) return { do: 'end', why: 'the object is gone' };
    const life: Life = { services, place, ref, signal, by: `${workflowId}/${execution}` };
    return isDeleting(read.value) ? await remove(life, read.value) : await keep(life, read.value);
  };
