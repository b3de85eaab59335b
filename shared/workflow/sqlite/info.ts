/** How an instance looks to the rest of the product and to people. */
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { WorkflowInfo } from '../contract.ts';
import { waitingIn } from '../waiting.ts';
import type { InstanceRow, Journal, PositionRow } from './journal.ts';
import type { HistoryLine, Inspection } from './options.ts';

export function infoOf(row: InstanceRow, journal: Journal, now: number): WorkflowInfo {
  const position = row.status === 'running' ? journal.position(row.id) : undefined;
  return {
    id: `${row.key}/${row.epoch}`,
    key: row.key,
    epoch: row.epoch,
    workflow: row.workflow,
    version: row.version,
    status: row.status,
    startedAt: row.started_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(position ? waitOf(position, now) : {}),
    ...(row.result === null ? {} : { result: journal.parse<Json>(row.result) }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

const waitOf = ({ current, executing, due }: PositionRow, now: number): ReturnType<typeof waitingIn> =>
  waitingIn(current ?? undefined, executing === 0 && due > now ? due : undefined);

export function historyOf(
  row: InstanceRow,
  journal: Journal,
): Pick<Inspection, 'group' | 'input' | 'history' | 'signals'> {
  const history = journal.steps(row.id).map(({ step, command, outcome, at }): HistoryLine => {
    if (!outcome.ok) return { step, command, ok: false, error: outcome.error, at };
    return { step, command, ok: true, ...defined({ value: outcome.value }), at };
  });
  return { group: row.grp, input: journal.parse<Json>(row.input), history, signals: journal.signals(row.id) };
}

/** `key/epoch`; the key itself may contain slashes. */
export function parseId(id: string): { key: string; epoch: number } | undefined {
  const slash = id.lastIndexOf('/');
  const epoch = Number(id.slice(slash + 1));
  return slash > 0 && Number.isSafeInteger(epoch) ? { key: id.slice(0, slash), epoch } : undefined;
}
