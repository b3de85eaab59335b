/** The engine speaks in sentences; the product's log has a catalog of ids to search and to alert on. */

import { defined } from '../../../shared/base/defined.ts';
import type { Log, LogEventId } from '../../../shared/observe/log/log.ts';
import { readId } from '../../../shared/workflow/keys.ts';
import type { EngineLog, EngineMessage } from '../../../shared/workflow/sqlite/options.ts';

const ids: Record<EngineMessage, LogEventId> = {
  'workflow started': 'workflow.started',
  'workflow completed': 'workflow.ended',
  'workflow failed': 'workflow.failed',
  'workflow set aside': 'workflow.set-aside',
  'history closed and started afresh': 'workflow.mismatch',
  'activity threw': 'step.failed',
  'trying again what was set aside': 'workflow.retried',
  'started once more by request': 'workflow.restarted',
  'the journal is unusable': 'workflow.journal-unusable',
};

export function engineLog(log: Log): EngineLog {
  const write: EngineLog['info'] = ({ workflow: kind, workflowId, group: _, ...fields }, message) =>
    log.write(ids[message], { ...claimIn(workflowId), ...defined({ kind }), ...fields });
  return { debug: write, info: write, warn: write, error: write };
}

/** As every line about a claim: `workflow` is the id, and the id tells the rest. */
function claimIn(workflowId: string | undefined): object {
  if (workflowId === undefined) return {};
  const { cluster, uid } = readId(workflowId)?.subject ?? {};
  return { workflow: workflowId, cluster, uid };
}
