/** `get workflows`: what runs for claims, or ran, in the order of their start. The table is that of `workflows list`. */
import { systemClock } from '../../../shared/base/runtime.ts';
import { claimNames, type NameClaims } from '../workflows/claim-names.ts';
import { listingOf, workflowsOf } from '../workflows/list.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { LoadListing } from './getting.ts';

/** For one `get`, which may ask again and again. */
export function workflows(): LoadListing<Workflow> {
  let names: NameClaims | undefined;
  return async ({ options, terminal }) => {
    names ??= claimNames(options, terminal);
    return listingOf(await workflowsOf(options, terminal, names), systemClock.now());
  };
}
