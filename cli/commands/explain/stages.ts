/** When a claim reached each stage of its life, as far as anybody wrote it down. */
import type { Condition } from '../../../shared/nodes/claims/spec/types.ts';
import { conditionTypes } from '../../../shared/nodes/claims/spec/well-known.ts';
import { beganIn } from './began.ts';
import type { Gathered } from './gather.ts';
import type { HostDecision } from './host-view.ts';

export interface Stage {
  name: string;
  /** In milliseconds; conditions know whole seconds. */
  at: number;
}

export function stagesOf({ cluster, host }: Gathered): Stage[] {
  const { metadata, status } = cluster?.claim ?? {};
  const decisions = host?.decisions ?? [];
  const condition = (type: string): number | undefined => reached(status?.conditions, type);
  const last = (step: string, words?: RegExp): number | undefined => timeOf(decisions, step, words);
  const began = beganIn(decisions, 'launch');
  const stages: [string, number | undefined][] = [
    ['made', parsed(metadata?.creationTimestamp)],
    ['seen', began?.at],
    ['chosen', last('choose', /^attempt \d+: /)],
    ['created', last('create', /is being created$|is there as |adopted$/)],
    ['launched', condition(conditionTypes.launched)],
    ['registered', condition(conditionTypes.registered)],
    ['initialized', condition(conditionTypes.initialized)],
    ['ready', last('ready') ?? condition(conditionTypes.ready)],
    ['deleted', parsed(metadata?.deletionTimestamp)],
    ['end begun', last('terminate', /^deleting/)],
    ['drained', condition(conditionTypes.drained)],
    ['detached', condition(conditionTypes.volumesDetached)],
    ['discarded', last('discard', /is gone$|is being deleted$/)],
    ['released', last('terminate', /^nothing is left/)],
  ];
  return inOrder(stages.flatMap(([name, at]) => (at === undefined ? [] : [{ name, at }])));
}

/** Times in whole seconds may seem to lie before what came earlier by less than one. */
function inOrder(stages: Stage[]): Stage[] {
  const ordered: Stage[] = [];
  for (const { name, at } of stages) {
    const before = ordered.at(-1)?.at ?? 0;
    // What an earlier attempt reached says nothing about this one.
    if (at < before - 1000) continue;
    ordered.push({ name, at: Math.max(at, before) });
  }
  return ordered;
}

function reached(conditions: readonly Condition[] | undefined, type: string): number | undefined {
  const condition = conditions?.find((one) => one.type === type);
  return condition?.status === 'True' ? parsed(condition.lastTransitionTime) : undefined;
}

function timeOf(decisions: readonly HostDecision[], step: string, words?: RegExp): number | undefined {
  return parsed(decisions.findLast((one) => one.step === step && (words === undefined || words.test(one.text)))?.at);
}

function parsed(time: string | undefined): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isFinite(at) ? at : undefined;
}
