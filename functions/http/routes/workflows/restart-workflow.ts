import { z } from '@hono/zod-openapi';
import { RestartRefused } from '../../../../shared/workflow/restart.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { documented, jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, WorkflowAbilities } from '../../options.ts';
import { refuseRestart } from './refuse-restart.ts';
import { workflowParams } from './workflow-schemas.ts';

const bodySchema = closedObject({
  force: z.boolean().optional().meta({ description: 'Also restart a running workflow, if it is lost or hangs.' }),
});

const route = apiRoute({
  method: 'post',
  path: '/v1/workflows/{id}/restart',
  access: 'restart',
  operationId: 'restartWorkflow',
  summary: 'Restart a workflow, whatever its status',
  description:
    'Starts the next epoch of its key, which continues from the state of the claim. A running workflow is replaced only with force.',
  middleware: jsonBody({ maxBytes: 4096, schema: bodySchema, optional: true }),
  request: {
    params: workflowParams,
    body: { content: { 'application/json': { schema: documented(() => bodySchema) } } },
  },
  responses: {
    200: {
      description: 'It is running, as the next epoch of its key.',
      content: jsonAnswer(() => z.object({ id: z.string(), epoch: z.number().int() })),
    },
    ...problems(400, 401, 403, 404, 409, 413, 415),
  },
});

export function addRestartWorkflow(app: HttpApp, workflows: WorkflowAbilities): void {
  app.openapi(route, async (c) => {
    const { force = false } = c.get('json');
    try {
      return c.json(await workflows.restart(c.req.valid('param').id, { force }), 200);
    } catch (error) {
      if (!(error instanceof RestartRefused)) throw error;
      return refuseRestart(c, error);
    }
  });
}
