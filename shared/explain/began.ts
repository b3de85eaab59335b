/** What began a claim's life, or its end: the event and who noticed it, from the first decision that kept it. */
import type { DecisionFact } from './diagnosis-facts.ts';

export interface Began {
  workflow: 'launch' | 'terminate';
  event?: string | undefined;
  type?: string | undefined;
  observedBy: string;
  /** In milliseconds. */
  at: number;
}

/** The newest that is known: an end before the life that it ends, unless one of the two is asked for. */
export function beganIn(
  decisions: readonly Pick<DecisionFact, 'step' | 'detail'>[],
  workflow?: Began['workflow'],
): Began | undefined {
  const found = decisions.flatMap(({ step, detail }): Began[] => {
    if (typeof detail !== 'object' || detail === null || !('began' in detail)) return [];
    const began = causeIn(detail.began);
    return began ? [{ workflow: step === 'terminate' ? 'terminate' : 'launch', ...began }] : [];
  });
  return found.findLast((one) => workflow === undefined || one.workflow === workflow);
}

export function causeIn(value: unknown): Omit<Began, 'workflow'> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { event, type, observedBy, at } = value as Record<string, unknown>;
  if (typeof observedBy !== 'string' || typeof at !== 'number') return undefined;
  return {
    ...(typeof event === 'string' ? { event } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    observedBy,
    at,
  };
}

const watchers: { [observedBy: string]: { short: string; whole: string } } = {
  watch: { short: 'the watch', whole: 'the watch on the cluster' },
  bridge: { short: 'the watch', whole: 'the watch on the cluster' },
  webhook: { short: 'the webhook', whole: 'the admission webhook' },
  resync: { short: 'the resync', whole: 'the resync, which regularly lists every claim' },
};

export const watcherName = (observedBy: string): string => watchers[observedBy]?.short ?? observedBy;

export function beganWords({ workflow, event, observedBy, at }: Began): string {
  const who = watchers[observedBy]?.whole ?? observedBy;
  const what = workflow === 'launch' ? 'its launch' : 'its deletion';
  const by = event === undefined ? '' : ` (event ${event})`;
  return `${what} was started by ${who}${by}, at ${new Date(at).toISOString().slice(11, 23)}`;
}
