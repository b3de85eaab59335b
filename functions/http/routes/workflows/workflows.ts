import { z } from '@hono/zod-openapi';
import { clusterName, objectUid } from '../../../../events/envelope.ts';
import { defined } from '../../../../shared/base/defined.ts';
import type { WorkflowInfo } from '../../../../shared/workflow/contract.ts';
import { keyFor } from '../../../../shared/workflow/keys.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { workflowsOf } from '../../../orchestrators/workflows.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject, pageQuery } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions, WorkflowAbilities } from '../../options.ts';
import { shownWorkflow, statusSchema, workflowSchema } from './workflow-schemas.ts';

const fits = (schema: ReturnType<typeof clusterName | typeof objectUid>, what: string) =>
  z
    .string()
    .max(253)
    .refine((text) => schema.safeParse(text).success, { message: `must be ${what}` })
    .optional();

const route = apiRoute({
  method: 'get',
  path: '/v1/workflows',
  access: 'read',
  operationId: 'listWorkflows',
  summary: 'Workflows, oldest first',
  description: 'With `cluster` and `uid`, only the newest ones of that claim, which is cheap on every engine.',
  request: {
    query: closedObject({
      status: statusSchema.optional(),
      cluster: fits(clusterName(), 'the name of a cluster'),
      uid: fits(objectUid(), 'the uid of a claim'),
      ...pageQuery,
    }),
  },
  responses: {
    200: {
      description: 'A page. Continue with `after` while there is a `next`.',
      content: jsonAnswer(() => z.object({ items: z.array(workflowSchema()), next: z.string().optional() })),
    },
    ...problems(400, 401, 403),
  },
});

export function addWorkflows(app: HttpApp, { services }: HttpOptions, workflows: WorkflowAbilities): void {
  app.openapi(route, async (c) => {
    const { status, cluster, uid, after, limit } = c.req.valid('query');
    if (after !== undefined && !/^\d{1,15}$/.test(after)) {
      return problem(c, 400, 'invalid-request', 'In the query: after must be the next of an earlier page.');
    }
    if ((cluster === undefined) !== (uid === undefined)) {
      return problem(c, 400, 'invalid-request', 'In the query: cluster and uid must be given together.');
    }
    if (cluster !== undefined && uid !== undefined) {
      const items = await newestOf(services, cluster, uid);
      return c.json({ items: items.filter((one) => !status || one.status === status).map(shownWorkflow) }, 200);
    }
    const { items, next } = await workflows.list({
      limit,
      ...defined({ status, after }),
    });
    return c.json({ items: items.map(shownWorkflow), ...defined({ next }) }, 200);
  });
}

async function newestOf({ workflows }: FunctionServices, cluster: string, uid: string): Promise<WorkflowInfo[]> {
  const ref = { cluster, uid, name: '' };
  const found = await Promise.all(workflowsOf('NodeClaim').map((workflow) => workflows.latest(keyFor(ref, workflow))));
  return found.filter((one) => one !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}
