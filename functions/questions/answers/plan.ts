/** What would happen if somebody applied an object now. */

import { defined } from '../../../shared/base/defined.ts';
import { quoteInput } from '../../../shared/base/problems.ts';
import { failed, type Result } from '../../../shared/base/result.ts';
import type { PlanAnswer } from '../../../shared/nodes/plan/answer.ts';
import { planObject } from '../../../shared/nodes/plan/plan.ts';
import type { FunctionServices } from '../../declaration.ts';

export interface PlanInput {
  cluster: string;
  /** JSON; what it holds is looked at when it is planned. */
  object: { [field: string]: unknown };
  nodeClasses?: { [field: string]: unknown }[];
}

export type PlanOutput = PlanAnswer;

export async function answerPlan(
  services: FunctionServices,
  { cluster: name, object, nodeClasses }: PlanInput,
  signal: AbortSignal,
): Promise<Result<PlanOutput>> {
  const cluster = services.cluster(name);
  if (!cluster) return failed('not-found', `cluster ${quoteInput(name)} is not in the configuration`);
  return planObject(services, cluster, { object, ...defined({ nodeClasses }) }, signal);
}
