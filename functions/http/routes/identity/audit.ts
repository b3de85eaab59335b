import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { actionNames } from '../../../../shared/identity/actions.ts';
import { type AuditEntry, readAudit } from '../../../../shared/identity/audit.ts';
import { roles } from '../../../../shared/identity/roles.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';

const entrySchema = late(() =>
  z
    .object({
      at: z.string().openapi({ format: 'date-time' }),
      caller: z.string().openapi({ description: "`host-token`: the holder of the host's own token." }),
      role: z.enum(roles),
      team: z.string().optional(),
      action: z.enum(actionNames),
      path: z.string().openapi({ description: 'The path of the request, which names the object.' }),
      given: z.unknown().optional().openapi({ description: 'The body and the query of the request.' }),
      status: z.number().int().optional().openapi({
        description: 'The HTTP status. Absent: the host died before the action ended, or it still runs.',
      }),
      answer: z.unknown().optional().openapi({ description: 'The body of the response.' }),
    })
    .openapi('AuditEntry'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/audit',
  access: 'read',
  operationId: 'listAudit',
  summary: 'Who changed what through this API',
  description:
    'Newest first. Requests that change nothing are not recorded: reads, dry runs, and what the host refused.',
  request: {
    query: closedObject({
      caller: z.string().min(1).max(253).optional(),
      action: z.enum(actionNames).optional(),
      since: z.iso.datetime({ offset: true }).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
      after: z
        .string()
        .max(400)
        .regex(/^[\w-]+$/)
        .optional()
        .openapi({ description: 'The `next` of an earlier page.' }),
    }),
  },
  responses: {
    200: {
      description: 'A page, which may have fewer entries than `limit`. Continue with `after` while there is a `next`.',
      content: jsonAnswer(() => z.object({ items: z.array(entrySchema()), next: z.string().optional() })),
    },
    ...problems(400, 401, 403),
  },
});

export function addAudit(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { caller, action, since, limit, after } = c.req.valid('query');
    const filter = { ...defined({ caller, action }), ...(since === undefined ? {} : { since: Date.parse(since) }) };
    const { items, next } = await readAudit(services.state, filter, { limit, ...defined({ after }) });
    return c.json({ items: items.map(shown), ...defined({ next }) }, 200);
  });
}

// The return type is stated: what is inferred from plain JSON, which contains itself, is more than the compiler follows.
const shown = ({ at, ...entry }: AuditEntry): z.infer<ReturnType<typeof entrySchema>> => ({
  at: isoTime(at),
  ...entry,
});
