/**
 * What an engine does before anything else: everything is cold, and every step that was executing when the last process
 * died is one death nearer to being set aside. All of it is one transaction, so dying here counts nothing twice.
 */
import type { Item } from '../progress.ts';
import type { InstanceRow, Journal, PositionRow } from './journal.ts';

export function recover(
  journal: Journal,
  options: { now: number; maxKills: number; epochFloor: number },
): { row: InstanceRow; reason: string }[] {
  const { now, maxKills, epochFloor } = options;
  return journal.database.transaction(() => {
    // Only a new journal takes the floor: it stands for the histories of journals before it.
    if (journal.epochFloor() === undefined) journal.raiseEpochFloor(epochFloor);
    const setAside: { row: InstanceRow; reason: string }[] = [];
    for (const position of journal.executing()) {
      const guilty = countKill(journal, position, maxKills);
      if (!guilty) continue;
      const reason = `the process crashed ${maxKills} times in a row while step ${position.step} (${position.current}) was executing`;
      journal.end(position.instance, 'set-aside', now, null, reason);
      setAside.push({ row: journal.instance(position.instance)!, reason });
    }
    journal.coolAll(now);
    return setAside;
  });
}

/** True when the step has used up its chances. */
function countKill(journal: Journal, position: PositionRow, maxKills: number): boolean {
  const items = position.items === null ? [] : journal.parse<Item[]>(position.items);
  for (const item of items) {
    if (!item.executing) continue;
    item.executing = false;
    item.kills++;
  }
  journal.updatePosition(position.instance, { ...position, items: JSON.stringify(items), executing: 0 });
  return items.some((item) => item.kills >= maxKills);
}
