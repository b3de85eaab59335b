/**
 * A warning may come before anybody knows whose machine it is about: the launch has not yet written it down. Then it is
 * noted under the machine's id, and the launch looks for a note when it learns that id.
 *
 * Nothing is lost between the two: the launch writes the index and then reads notes; whoever has a warning writes the note
 * and then reads the index. Most notes are about other people's machines, and go by themselves.
 */

import type { InterruptionKind } from '../../claims/interruption-rules.ts';
import type { LifecycleServices } from '../../steps/services.ts';

export type Note = { kind: InterruptionKind; reason: string };

/** Longer than a machine takes from its first state to its record. */
const keepSeconds = 900;

const noteKey = (instance: string): string => `interrupted/${instance}`;

export async function noteInterruption(services: LifecycleServices, instance: string, note: Note): Promise<void> {
  await services.state.put(noteKey(instance), note, { ttlSeconds: keepSeconds });
}

export async function notedInterruption(services: LifecycleServices, instance: string): Promise<Note | undefined> {
  return (await services.state.get<Note>(noteKey(instance)))?.value;
}
