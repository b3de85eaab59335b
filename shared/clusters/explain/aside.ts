/** A user wants that nothing happens to a request, or that it is only planned. Its stages may then be as they were left. */
import { cancelled, carriedOutElsewhere, dryRun, pausedReason } from '../request/marks.ts';
import type { SeenRequest } from './seen-request.ts';

export const asides = [cancelled, carriedOutElsewhere, dryRun, pausedReason] as const;
export type Aside = (typeof asides)[number];

type Metadata = SeenRequest['metadata'];

/** What makes it go on. */
const fixes: Record<Aside, (metadata: Metadata) => string> = {
  [cancelled]: ({ namespace, name }) =>
    `to continue: poolwright clusters retry ${name} -n ${namespace}; to remove what was made, delete the request`,
  [carriedOutElsewhere]: ({ namespace, name }) =>
    `none needed; to hand it over: poolwright clusters migrate ${namespace}/${name} --from-kro --phase adopt`,
  [dryRun]: () => 'none needed; to create the cluster, remove spec.dryRun',
  [pausedReason]: () =>
    'poolwright resume cluster, with the name of the management cluster; a pause in the configuration ends there',
};

export interface SetAside {
  aside: Aside;
  cause: string;
  fix: string;
  /** Where the catalog of errors has it. */
  code?: typeof pausedReason;
}

export function asideOf({ metadata, status }: SeenRequest): SetAside | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  // A pause in the middle is on the stage that it holds up.
  const held = status?.stages?.find(({ code }) => code === pausedReason);
  const aside = asides.find((one) => one === (held === undefined ? ready?.reason : pausedReason));
  if (aside === undefined) return undefined;
  const isStale = (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
  // Its author has changed it since; whether it is still only a plan is not known yet.
  if (aside === dryRun && isStale) return undefined;
  const cause = (held ?? ready)?.message || 'no reason is known';
  return { aside, cause, fix: fixes[aside](metadata), ...(aside === pausedReason ? { code: aside } : {}) };
}
