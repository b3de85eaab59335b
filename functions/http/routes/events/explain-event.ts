/** GET /v1/events/{id}/explain: what became of an event. */
import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { eventOutcome, mostWorkflows } from '../../../../shared/explain/event-outcome.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';
import { deadLetterSchema, shownDeadLetter } from '../dead-letters/dead-letter-schema.ts';
import { shownWorkflow, workflowSchema } from '../workflows/workflow-schemas.ts';

const claim = z.string().optional().openapi({ description: 'The claim that the event is about.' });

const eventExplanationSchema = late(() =>
  z
    .discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('dead-letter'), letter: deadLetterSchema(), claim }),
      z.object({
        outcome: z.literal('processed'),
        at: z.string().openapi({ format: 'date-time', description: 'When it was noticed.' }),
        observedBy: z.string().openapi({ example: 'watch' }),
        workflow: workflowSchema(),
        claim,
      }),
    ])
    .openapi('EventExplanation'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/events/{id}/explain',
  access: 'read',
  operationId: 'explainEvent',
  summary: 'What became of an event',
  description: `The id is that of a dead letter or of a CloudEvent. The host searches all dead letters and the ${mostWorkflows} newest workflows.`,
  request: { params: z.object({ id: z.string().min(1).max(256) }) },
  responses: {
    200: { description: 'The outcome.', content: jsonAnswer(() => eventExplanationSchema()) },
    ...problems(400, 401, 403, 404),
  },
});

export function addExplainEvent(app: HttpApp, { services, workflows }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { id } = c.req.valid('param');
    const deadLetters = (page: { after?: string; limit: number }) => services.events.deadLetters(page);
    const found = await eventOutcome({ deadLetters, ...defined({ workflows }) }, id, c.req.raw.signal);
    if (!found) {
      const detail = `No dead letter and none of the last ${mostWorkflows} workflows has this id. A processed event leaves no other record.`;
      return problem(c, 404, 'unknown-event', detail);
    }
    const about = defined({ claim: found.claim });
    if (found.outcome === 'dead-letter') {
      return c.json({ outcome: found.outcome, letter: shownDeadLetter(found.letter), ...about }, 200);
    }
    const { outcome, cause, workflow } = found;
    const { at, observedBy } = cause;
    return c.json({ outcome, at: isoTime(at), observedBy, workflow: shownWorkflow(workflow), ...about }, 200);
  });
}
