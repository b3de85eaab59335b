import { z } from '@hono/zod-openapi';
import { parseEvent } from '../../../../events/parse.ts';
import { defined } from '../../../../shared/base/defined.ts';
import type { DeadLetter, Queue } from '../../../../shared/queue/contract.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { deadLetterSchema, shownDeadLetter } from './dead-letter-schema.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/dead-letters/{id}',
  access: 'read',
  operationId: 'getDeadLetter',
  summary: 'One dead letter, and whether it could be processed now',
  request: { params: z.object({ id: z.string().min(1).max(256) }) },
  responses: {
    200: {
      description: 'The letter.',
      content: jsonAnswer(() =>
        deadLetterSchema().extend({
          problem: z.string().optional().openapi({
            description: 'What is wrong with its body, as this host reads it now. If absent, a replay may succeed.',
          }),
        }),
      ),
    },
    ...problems(400, 401, 403, 404),
  },
});

const pageSize = 1000;

export function addDeadLetter(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const letter = await find(services.events, c.req.valid('param').id);
    if (!letter) {
      const detail = 'No dead letter has this id; it was replayed or dropped. /v1/dead-letters lists the current ones.';
      return problem(c, 404, 'unknown-dead-letter', detail);
    }
    const wrong = problemOf(services, letter);
    return c.json({ ...shownDeadLetter(letter), ...defined({ problem: wrong }) }, 200);
  });
}

/** Brokers know dead letters by their place, not by their id. */
async function find(queue: Queue, id: string): Promise<DeadLetter | undefined> {
  let after: string | undefined;
  do {
    const page = await queue.deadLetters({ limit: pageSize, ...defined({ after }) });
    const found = page.items.find((letter) => letter.id === id);
    if (found) return found;
    after = page.next;
  } while (after !== undefined);
  return undefined;
}

/** The same look as the watcher's: what it would bury again at once. */
function problemOf(services: FunctionServices, { body }: DeadLetter): string | undefined {
  const parsed = parseEvent(body);
  if (!parsed.ok) return parsed.reason;
  const { cluster } = parsed.event.data;
  return services.cluster(cluster) ? undefined : unknownName('cluster', cluster, clusterNames(services));
}
