/** `get workflows`: what runs for claims, or ran, in the order of their start. The table is that of `workflows list`. */
import { systemClock } from '../../shared/runtime.ts';
import type { Listing } from '../output/formats.ts';
import { listingOf, workflowsOf } from '../workflows/list.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { Getting } from './getting.ts';

export const workflows = async ({ options, terminal }: Getting): Promise<Listing<Workflow>> =>
  listingOf(await workflowsOf(options, terminal), systemClock.now());
