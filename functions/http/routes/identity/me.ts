import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { actionNames, actions } from '../../../../shared/identity/actions.ts';
import { includes, roles } from '../../../../shared/identity/roles.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp } from '../../options.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/me',
  access: 'read',
  operationId: 'getMe',
  summary: 'Who this request is authenticated as, and what that caller may do',
  responses: {
    200: {
      description: 'The caller.',
      content: jsonAnswer(() =>
        z.object({
          name: z.string(),
          role: z.enum(roles),
          team: z.string().optional(),
          actions: z.array(z.enum(actionNames)).openapi({ description: 'What the caller may change.' }),
        }),
      ),
    },
    ...problems(401, 403),
  },
});

export function addMe(app: HttpApp): void {
  app.openapi(route, (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'member') return problem(c, 403, 'cluster-only', 'A cluster has no role.');
    const { name, role, team } = caller;
    const may = actionNames.filter((action) => includes(role, actions[action].role));
    return c.json({ name, role, ...defined({ team }), actions: may }, 200);
  });
}
