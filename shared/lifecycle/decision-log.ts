/**
 * What was decided about a claim, and why, so that `explain` can answer "why is nothing happening?".
 * Bounded in number, in length and in time; losing a line costs an explanation, never a machine.
 */
import type { Json } from '../json.ts';
import type { ClaimRef, LifecycleServices } from './services.ts';

export type Decision = { at: number; step: string; text: string; detail?: Json };

const maxTextLength = 500;
const maxDetailBytes = 4_000;

export const decisionKey = (ref: ClaimRef): string => `decisions/${ref.cluster}/${ref.uid}`;

/** When the very same was recorded last, if it was the last thing recorded; undefined: this is news. */
export async function decided(
  services: LifecycleServices,
  ref: ClaimRef,
  step: string,
  text: string,
  detail?: Json,
): Promise<number | undefined> {
  const { state, clock, settings, log } = services;
  const decision: Decision = { at: clock.now(), step, text: text.slice(0, maxTextLength) };
  if (detail !== undefined && JSON.stringify(detail).length <= maxDetailBytes) decision.detail = detail;
  try {
    const earlier = await state.get<Decision[]>(decisionKey(ref));
    const list = Array.isArray(earlier?.value) ? earlier.value : [];
    const last = list.at(-1);
    // The same wait, asked again and again, is one line that moves.
    const same = last && last.step === step && last.text === decision.text;
    if (same) list.pop();
    list.push(decision);
    await state.put(decisionKey(ref), newest(list, settings.decisions.maxPerClaim), {
      ttlSeconds: settings.decisions.keepSeconds,
    });
    return same ? last.at : undefined;
  } catch (error) {
    log.write('decision.lost', { cluster: ref.cluster, claim: ref.name, step, error });
    return undefined;
  }
}

/** Keeps the newest; drops details of older ones first, because the texts tell the story. */
function newest(list: Decision[], max: number): Decision[] {
  const kept = list.slice(-max);
  const maxBytes = 40_000;
  let bytes = JSON.stringify(kept).length;
  for (let index = 0; index < kept.length - 1 && bytes > maxBytes; index++) {
    const { detail, ...short } = kept[index] as Decision;
    if (detail === undefined) continue;
    bytes -= JSON.stringify(detail).length;
    kept[index] = short;
  }
  return kept;
}
