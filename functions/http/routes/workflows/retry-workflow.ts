import { z } from '@hono/zod-openapi';
import type { WorkflowClient } from '../../../../shared/workflow/contract.ts';
import { RestartRefused } from '../../../../shared/workflow/restart.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonBody } from '../../kit/json-body.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions, WorkflowAbilities } from '../../options.ts';
import { refuseRestart } from './refuse-restart.ts';
import { workflowParams } from './workflow-schemas.ts';

const route = apiRoute({
  method: 'post',
  path: '/v1/workflows/{id}/retry',
  access: 'retry',
  operationId: 'retryWorkflow',
  summary: 'Retry a workflow that was set aside',
  middleware: jsonBody({ maxBytes: 4096, schema: z.unknown(), optional: true }),
  request: { params: workflowParams },
  responses: {
    200: {
      description: 'It is running again, as the next epoch of its key.',
      content: jsonAnswer(() => z.object({ id: z.string(), epoch: z.number().int() })),
    },
    ...problems(400, 401, 403, 404, 409, 413, 415),
  },
});

type Obstacle = { status: 404 | 409; kind: string; detail: string };

export function addRetryWorkflow(app: HttpApp, { services }: HttpOptions, workflows: WorkflowAbilities): void {
  app.openapi(route, async (c) => {
    const { id } = c.req.valid('param');
    let obstacle = await obstacleTo(id, workflows, services.workflows);
    if (!obstacle) {
      try {
        return c.json(await workflows.retrySetAside(id), 200);
      } catch (error) {
        // Somebody else may have been faster; anything else is not the caller's fault.
        obstacle = await obstacleTo(id, workflows, services.workflows);
        if (!obstacle && error instanceof RestartRefused) return refuseRestart(c, error);
        if (!obstacle) throw error;
      }
    }
    return problem(c, obstacle.status, obstacle.kind, obstacle.detail);
  });
}

async function obstacleTo(
  id: string,
  workflows: WorkflowAbilities,
  client: WorkflowClient,
): Promise<Obstacle | undefined> {
  const found = await workflows.inspect(id);
  if (!found) {
    const detail = 'There is no workflow with this id. /v1/workflows?status=set-aside lists those that can be retried.';
    return { status: 404, kind: 'unknown-workflow', detail };
  }
  if (found.status !== 'set-aside') {
    const detail = `The workflow is ${found.status}; only a workflow that was set aside can be retried.`;
    return { status: 409, kind: 'not-set-aside', detail };
  }
  const latest = await client.latest(found.key);
  if (latest && latest.epoch > found.epoch) {
    const detail = `A newer epoch ${latest.epoch} of the same key exists; it is ${latest.status}.`;
    return { status: 409, kind: 'superseded', detail };
  }
  return undefined;
}
