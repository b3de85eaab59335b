import { createRoute, z } from '@hono/zod-openapi';
import type { HttpApp, WorkflowAbilities } from './options.ts';
import { problem, problems } from './problem.ts';
import { closedObject, pageQuery } from './validation.ts';
import { shownWorkflow, statusSchema, workflowSchema } from './workflow-schemas.ts';

const route = createRoute({
  method: 'get',
  path: '/v1/workflows',
  summary: 'Workflows, in the order of their start',
  request: { query: closedObject({ status: statusSchema.optional(), ...pageQuery }) },
  responses: {
    200: {
      description: 'A page. Go on with `after` while there is a `next`.',
      content: {
        'application/json': { schema: z.object({ items: z.array(workflowSchema), next: z.string().optional() }) },
      },
    },
    ...problems(400, 401, 403),
  },
});

export function addWorkflows(app: HttpApp, workflows: WorkflowAbilities): void {
  app.openapi(route, async (c) => {
    const { status, after, limit } = c.req.valid('query');
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      return problem(c, 400, 'invalid-request', 'In the query: after must be the next of an earlier page.');
    }
    const { items, next } = await workflows.list({
      limit,
      ...(status === undefined ? {} : { status }),
      ...(after === undefined ? {} : { after }),
    });
    return c.json({ items: items.map(shownWorkflow), ...(next === undefined ? {} : { next }) }, 200);
  });
}
