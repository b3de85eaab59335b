/** What hosts on a platform's own engine can do with workflows beyond the port. */
import type { WorkflowHistory } from '../../../shared/workflow/history.ts';
import { type Restarted, type RestartOptions, refusals } from '../../../shared/workflow/restart.ts';
import type { WorkflowAbilities } from '../../http/options.ts';

interface Engine {
  inspection: Pick<WorkflowAbilities, 'list' | 'inspect'>;
  client: { restart(old: WorkflowHistory, options: RestartOptions): Promise<Restarted> };
}

/** @param engine Asked at every call: on some hosts each invocation has a way of its own. */
export function workflowAbilities(engine: () => Engine): WorkflowAbilities {
  async function restart(id: string, options: RestartOptions): Promise<Restarted> {
    const { inspection, client } = engine();
    const found = await inspection.inspect(id);
    if (!found) throw refusals.unknown(id);
    return client.restart(found, options);
  }
  return {
    list: (query) => engine().inspection.list(query),
    inspect: (id) => engine().inspection.inspect(id),
    retrySetAside: (id) => restart(id, {}),
    restart,
  };
}
