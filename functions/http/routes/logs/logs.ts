import { z } from '@hono/zod-openapi';
import { clusterName, objectName, objectUid } from '../../../../events/envelope.ts';
import { defined } from '../../../../shared/base/defined.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp } from '../../options.ts';
import { type LogQuery, type Logs, logLevels } from './log-page.ts';

type Checked = ReturnType<typeof clusterName | typeof objectName>;

const uidSchema = objectUid();

const fits = (schema: Checked, what: string) =>
  z.string().refine((text) => schema.safeParse(text).success, `must be ${what}`);

const route = apiRoute({
  method: 'get',
  path: '/v1/logs',
  access: 'read',
  operationId: 'readLogs',
  summary: "The last lines of this host's log",
  description:
    'The newest matching lines; with `after`, the lines that followed. If the platform keeps the log, the response has the command that queries it.',
  request: {
    query: closedObject({
      cluster: fits(clusterName(), 'the name of a cluster').optional(),
      claim: fits(objectName(), 'the name of a claim').optional(),
      uid: z
        .string()
        .max(2000)
        .refine((text) => text.split(',').every((one) => uidSchema.safeParse(one).success), 'must be uids of claims')
        .optional()
        .openapi({ description: 'Claim uids, separated by commas.' }),
      workflow: z
        .string()
        .max(1024)
        .regex(/^[\w.:-]+(\/[\w.:-]+)*$/)
        .optional(),
      level: z.enum(logLevels).default('debug'),
      since: z.iso.datetime({ offset: true }).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(200),
      after: z
        .string()
        .regex(/^\d{1,12}:\d{1,12}$/)
        .optional()
        .openapi({ description: 'The `next` of an earlier response.' }),
    }),
  },
  responses: {
    200: {
      description: 'In the order in which they were written. Continue with `after` set to `next`.',
      content: jsonAnswer(() =>
        z.object({
          items: z.array(z.looseObject({ time: z.string(), level: z.string(), event: z.string() })),
          next: z.string(),
          uids: z.array(z.string()),
        }),
      ),
    },
    ...problems(400, 401, 403, 404),
  },
});

export function addLogs(app: HttpApp, logs: Logs): void {
  app.openapi(route, async (c) => {
    const { uid, since, cluster, claim, workflow, after, level, limit } = c.req.valid('query');
    const query: LogQuery = {
      uids: uid === undefined ? [] : uid.split(','),
      level,
      limit,
      ...defined({ cluster, claim, workflow }),
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...defined({ after }),
    };
    if ('read' in logs) return c.json(await logs.read(query), 200);
    const { where, command } = logs.elsewhere(query);
    return problem(c, 404, 'logs-elsewhere', `The log of this host is in ${where}. Query it with:\n${command}`);
  });
}
