import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, WorkflowAbilities } from '../../options.ts';
import { inspectionSchema, shownInspection, workflowParams } from './workflow-schemas.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/workflows/{id}',
  access: 'read',
  operationId: 'getWorkflow',
  summary: 'One workflow with its history',
  request: { params: workflowParams },
  responses: {
    200: { description: 'The workflow.', content: jsonAnswer(() => inspectionSchema()) },
    ...problems(400, 401, 403, 404),
  },
});

export function addWorkflow(app: HttpApp, workflows: WorkflowAbilities): void {
  app.openapi(route, async (c) => {
    const found = await workflows.inspect(c.req.valid('param').id);
    if (!found) {
      const detail = 'There is no workflow with this id. An id is key/epoch; /v1/workflows lists them.';
      return problem(c, 404, 'unknown-workflow', detail);
    }
    return c.json(shownInspection(found), 200);
  });
}
