/** What somebody has stopped by hand, or the engine by itself. */
import type { Check } from '../../../../../shared/base/checks.ts';
import { listPauses } from '../../../../../shared/nodes/pauses/pauses.ts';
import type { FunctionServices } from '../../../../declaration.ts';
import type { WorkflowAbilities } from '../../../options.ts';

export async function pauseChecks(services: FunctionServices): Promise<Check[]> {
  const requested = (await listPauses(services)).map(({ kind, name, why }): Check => {
    const message = `it is paused${why === '' ? '' : `: ${why}`}; no new instances are created`;
    return { name: `${kind} ${name}: pause`, ...paused, message, repair: `poolwright resume ${kind} ${name}` };
  });
  const configured = services.clusters.flatMap(({ name, paused: isPaused, pausedProviders }) =>
    [...(isPaused ? [`cluster ${name}`] : []), ...[...pausedProviders].map((one) => `provider ${one}`)].map(
      (target): Check => ({
        name: `${target}: pause`,
        ...paused,
        message: 'the configuration pauses it; no new instances are created',
        repair: `remove paused: true from ${target} in the configuration`,
      }),
    ),
  );
  const all = new Map([...configured, ...requested].map((check) => [check.name, check]));
  return all.size > 0 ? [...all.values()] : [{ name: 'pauses', state: 'pass', message: 'nothing is paused' }];
}

const paused = { state: 'warn', code: 'Paused' } as const;

const shown = 100;

export async function workflowChecks(workflows: WorkflowAbilities): Promise<Check[]> {
  const { items, next } = await workflows.list({ status: 'set-aside', limit: shown });
  const name = 'workflows';
  const [first] = items;
  if (first === undefined) {
    const some = next === undefined ? '' : ', among those that were checked';
    return [{ name, state: 'pass', message: `none is set aside${some}` }];
  }
  const count = next === undefined ? `${items.length}` : `${items.length} or more`;
  const message = `${count} set aside because the host died while they ran; the first is ${first.id}`;
  return [{ name, state: 'warn', message, code: 'SetAside', repair: `poolwright workflows show ${first.id}` }];
}
