/** When a claim reached each stage of its life, as far as anybody wrote it down. */
import type { Condition } from '../base/kubernetes/object.ts';
import { conditionTypes } from '../nodes/claims/spec/well-known.ts';
import { beganIn } from './began.ts';
import type { DiagnosisFacts } from './diagnosis-facts.ts';

export interface Stage {
  name: string;
  /** In milliseconds. */
  at: number;
  /** Known to the second only: Kubernetes keeps no more, so up to a second of what follows is rounding. */
  whole?: true;
}

export function stagesOf({ claim, decisions }: Pick<DiagnosisFacts, 'claim' | 'decisions'>): Stage[] {
  const { metadata, status } = claim ?? {};
  const condition = (type: string): number | undefined => reached(status?.conditions, type);
  const last = (...codes: string[]): number | undefined =>
    decisions.findLast(({ code }) => code !== undefined && codes.includes(code))?.at;
  const readyAt = last('node-ready');
  const stages: [string, number | undefined, 'whole'?][] = [
    ['made', parsed(metadata?.creationTimestamp), 'whole'],
    ['seen', beganIn(decisions, 'launch')?.at],
    ['chosen', last('offering-chosen')],
    ['created', last('create-begun', 'created', 'instance-found')],
    ['launched', condition(conditionTypes.launched), 'whole'],
    ['registered', condition(conditionTypes.registered), 'whole'],
    ['initialized', condition(conditionTypes.initialized), 'whole'],
    readyAt === undefined ? ['ready', condition(conditionTypes.ready), 'whole'] : ['ready', readyAt],
    ['deleted', parsed(metadata?.deletionTimestamp), 'whole'],
    ['end begun', last('end-begun')],
    ['drained', condition(conditionTypes.drained), 'whole'],
    ['detached', condition(conditionTypes.volumesDetached), 'whole'],
    ['discarded', last('instance-gone', 'delete-begun')],
    ['released', last('released')],
  ];
  return inOrder(
    stages.flatMap(([name, at, whole]) =>
      at === undefined ? [] : [{ name, at, ...(whole ? { whole: true as const } : {}) }],
    ),
  );
}

/** Times in whole seconds may seem to lie before what came earlier by less than one. */
function inOrder(stages: Stage[]): Stage[] {
  const ordered: Stage[] = [];
  for (const { at, ...stage } of stages) {
    const before = ordered.at(-1)?.at ?? 0;
    // What an earlier attempt reached says nothing about this one.
    if (at < before - 1000) continue;
    ordered.push({ ...stage, at: Math.max(at, before) });
  }
  return ordered;
}

function reached(conditions: readonly Condition[] | undefined, type: string): number | undefined {
  const condition = conditions?.find((one) => one.type === type);
  return condition?.status === 'True' ? parsed(condition.lastTransitionTime) : undefined;
}

function parsed(time: string | undefined): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isFinite(at) ? at : undefined;
}
