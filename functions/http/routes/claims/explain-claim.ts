/** The explanation of a claim as it is answered: from the facts to the words. */
import type { z } from '@hono/zod-openapi';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { answeredSpan, answerOf } from '../../../../shared/explain/answer.ts';
import { explain } from '../../../../shared/explain/explain.ts';
import { traceSpans } from '../../../../shared/explain/spans.ts';
import { shownWorkflow } from '../workflows/workflow-schemas.ts';
import { gatherFacts } from './claim-facts.ts';
import type { explanationSchema } from './explanation-schema.ts';

type Explanation = z.infer<ReturnType<typeof explanationSchema>>;

/** Undefined where there is no such claim. */
export async function explainClaim(asked: Parameters<typeof gatherFacts>[0]): Promise<Result<Explanation | undefined>> {
  const gathered = await gatherFacts(asked);
  if (!gathered.ok) return gathered;
  const found = gathered.value;
  if (!found) return ok(undefined);
  const { known, missing } = found;
  const explained = explain(known);
  const workflows = found.workflows.map(shownWorkflow);
  const answer = answerOf({ name: asked.name, uid: found.uid }, known, explained, { workflows, missing });
  const spans = asked.isTraced ? { spans: traceSpans(explained, found.traced, known.now).map(answeredSpan) } : {};
  return ok({ ...answer, workflows, ...spans });
}
