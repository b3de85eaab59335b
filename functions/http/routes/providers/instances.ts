import { z } from '@hono/zod-openapi';
import { asSentence } from '../../../../shared/base/text.ts';
import type { ListInstancesOutput } from '../../../questions/answers/list-instances.ts';
import { questionsHere } from '../../../questions/provider-questions.ts';
import { listInstances } from '../../../questions/questions.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, providerNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { refusals, refuseAnswer } from '../../kit/refuse-answer.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';
import { nextOf, type ProviderCursor, placesOf, positionIn, unknownPosition } from './provider-places.ts';

const instanceSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      provider: z.string(),
      id: z.string(),
      providerID: z.string(),
      name: z.string(),
      claimName: z.string(),
      claimUid: z.string(),
      attempt: z.number().int(),
      instanceType: z.string(),
      zone: z.string(),
      capacityType: z.string(),
      state: z.enum(['creating', 'running', 'deleting']),
      createdAt: z.string().openapi({ format: 'date-time' }),
      claim: z.enum(['present', 'gone', 'another', 'moved-on', 'unknown']).openapi({
        description:
          'The state of its claim. `another`: a different claim has the name now. `moved-on`: the claim has another instance, or none. `unknown`: the cluster did not answer.',
      }),
    })
    .openapi('Instance'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/instances',
  access: 'read',
  operationId: 'listInstances',
  summary: 'The instances of this deployment, as the clouds list them',
  description: "A cloud's list may lag: an instance that is not listed may still exist.",
  request: {
    query: closedObject({
      cluster: z.string().max(253).optional(),
      provider: z.string().max(253).optional(),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(100)
        .optional()
        .openapi({ description: 'As in other lists, but the cloud decides the length of a page.' }),
      after: z.string().min(1).max(4096).optional().openapi({ description: 'The `next` of the previous page.' }),
    }),
  },
  responses: {
    200: {
      description:
        'A page; the cloud decides its length, and it may be empty. Continue with `after` while there is a `next`.',
      content: jsonAnswer(() => z.object({ items: z.array(instanceSchema()), next: z.string().optional() })),
    },
    ...problems(401, 403, ...refusals),
  },
});

export function addInstances(app: HttpApp, { services, questions = questionsHere(services) }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, provider, after } = c.req.valid('query');
    if (cluster !== undefined && !clusterNames(services).includes(cluster)) {
      const detail = asSentence(unknownName('cluster', cluster, clusterNames(services)));
      return problem(c, 404, 'unknown-cluster', detail);
    }
    if (provider !== undefined && !providerNames(services).includes(provider)) {
      const detail = asSentence(unknownName('provider', provider, providerNames(services)));
      return problem(c, 404, 'unknown-provider', detail);
    }
    const places = placesOf(services, { cluster, provider });
    const position = positionIn(places, after);
    if (position === 'unknown') return problem(c, 400, 'invalid-request', unknownPosition);
    if (position === undefined) return c.json({ items: [] }, 200);
    const { after: page, ...place } = position;
    const asked = page === undefined ? place : { ...place, page };
    const answer = await questions.ask(listInstances, asked, c.req.raw.signal);
    if (!answer.ok) return refuseAnswer(c, answer.error);
    const items = answer.value.items.map((item) => shown(place, item));
    return c.json({ items, ...nextOf(places, position, answer.value.next) }, 200);
  });
}

function shown(
  { cluster, provider }: ProviderCursor,
  { instance, claim }: ListInstancesOutput['items'][number],
): z.infer<ReturnType<typeof instanceSchema>> {
  const { id, providerID, name, claimName, owner, offering, state, createdAt } = instance;
  const { claimUid, attempt } = owner;
  const { instanceType, zone, capacityType } = offering;
  return {
    ...{ cluster, provider, id, providerID, name, claimName, claimUid, attempt },
    ...{ instanceType, zone, capacityType, state, createdAt: isoTime(createdAt), claim },
  };
}
