/** Brings an instance back into memory from its history, or says why that can't be. No side effect comes of it. */
import type { Item } from '../progress.ts';
import type { Workflow } from '../vocabulary.ts';
import type { InstanceRow, Journal, PositionRow } from './journal.ts';
import { Live, type LiveRules } from './live.ts';

export type Restored =
  | { kind: 'live'; live: Live }
  /** The code can't go on from this history. */
  | { kind: 'mismatch'; reason: string }
  /** There is no code for it at all. */
  | { kind: 'unknown'; reason: string };

export function restore(
  journal: Journal,
  row: InstanceRow,
  position: PositionRow,
  workflow: Workflow | undefined,
  rules: LiveRules,
): Restored {
  if (!workflow) return { kind: 'unknown', reason: `no workflow named "${row.workflow}" is registered` };
  if (workflow.version !== row.version) {
    const reason = `it was started with version ${row.version}, but the code has version ${workflow.version}`;
    return { kind: 'mismatch', reason };
  }
  const { key, epoch, grp: group, version } = row;
  const live = new Live(
    { key, epoch, group, workflow: row.workflow, version },
    workflow,
    journal.parse(row.input),
    rules,
  );
  live.row = row.id;
  for (const name of journal.signals(row.id)) live.mail.add(name);
  const items = position.items === null ? [] : journal.parse<Item[]>(position.items);
  const wrong = live.replay(journal.steps(row.id), { step: position.step, current: position.current, items });
  if (wrong) return { kind: 'mismatch', reason: wrong.mismatch };
  // The signal it waits for may lie in the mailbox already.
  if (live.command?.kind === 'wait-signal' && live.mail.has(live.command.name)) live.deliver(live.command.name);
  return { kind: 'live', live };
}
