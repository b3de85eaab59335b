import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { didYouMean } from '../../../../shared/base/nearest.ts';
import { quoteInput } from '../../../../shared/base/problems.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { capacityTypes } from '../../../../shared/nodes/claims/spec/well-known.ts';
import type { FunctionServices } from '../../../declaration.ts';
import type { OfferingRow } from '../../../questions/answers/list-offerings.ts';
import { questionsHere } from '../../../questions/provider-questions.ts';
import { listOfferings } from '../../../questions/questions.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { clusterNames, providerNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { refusals, refuseAnswer } from '../../kit/refuse-answer.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';
import {
  nextOf,
  type ProviderCursor,
  type ProviderOfCluster,
  placesOf,
  positionIn,
  unknownPosition,
} from '../providers/provider-places.ts';

const offeringSchema = late(() =>
  z
    .object({
      cluster: z.string(),
      provider: z.string(),
      instanceType: z.string(),
      zone: z.string().openapi({ description: 'Empty where the provider has no zones.' }),
      capacityType: z.enum(capacityTypes),
      pricePerHour: z.number().optional().openapi({ description: 'In US dollars; absent if unknown.' }),
      available: z.boolean(),
      unavailable: z
        .object({ reason: z.string().optional(), until: z.string().optional().openapi({ format: 'date-time' }) })
        .optional(),
      cpu: z.string().optional(),
      memory: z.string().optional(),
      gpus: z.number().optional(),
      architecture: z.string().optional(),
    })
    .openapi('Offering'),
);

const mostPerPage = 1000;

const route = apiRoute({
  method: 'get',
  path: '/v1/offerings',
  access: 'read',
  operationId: 'listOfferings',
  summary: 'The offerings: instance types, zones and capacity types, with prices',
  description: 'Recently unavailable offerings are included and marked. The order is stable across pages.',
  request: {
    query: closedObject({
      cluster: z.string().max(253).optional(),
      provider: z.string().max(253).optional(),
      nodeClass: z
        .string()
        .max(317)
        .optional()
        .openapi({ description: 'Only offerings that this node class may use: `<Kind>/<name>`.' }),
      after: z.string().min(1).max(4096).optional().openapi({ description: 'The `next` of the previous page.' }),
      limit: z.coerce.number().int().min(1).max(mostPerPage).default(mostPerPage),
    }),
  },
  responses: {
    200: {
      description: 'A page, which may be short or empty. Continue with `after` while there is a `next`.',
      content: jsonAnswer(() =>
        z.object({
          items: z.array(offeringSchema()),
          next: z.string().optional(),
          problems: z
            .array(z.string())
            .optional()
            .openapi({ description: 'Why offerings of some node classes are missing.' }),
        }),
      ),
    },
    ...problems(401, 403, ...refusals),
  },
});

export function addOfferings(app: HttpApp, { services, questions = questionsHere(services) }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, provider, nodeClass, after, limit } = c.req.valid('query');
    const [clusters, providers] = [clusterNames(services), providerNames(services)];
    if (cluster !== undefined && !clusters.includes(cluster)) {
      return problem(c, 404, 'unknown-cluster', asSentence(unknownName('cluster', cluster, clusters)));
    }
    if (provider !== undefined && !providers.includes(provider)) {
      return problem(c, 404, 'unknown-provider', asSentence(unknownName('provider', provider, providers)));
    }
    const [kind = '', name = ''] = nodeClass?.split('/') ?? [];
    if (nodeClass !== undefined && !/^[^/]+\/[^/]+$/.test(nodeClass)) {
      return problem(c, 400, 'invalid-request', 'In the query: nodeClass must be <Kind>/<name>.');
    }
    const serves = ({ nodeClasses }: ProviderOfCluster): boolean =>
      kind === '' || nodeClasses.some((one) => isNamed(one.kind, kind));
    const places = placesOf(services, { cluster, provider, serves });
    const position = positionIn(places, after);
    if (position === 'unknown') return problem(c, 400, 'invalid-request', unknownPosition);
    if (position === undefined) {
      const kinds = placesOf(services, { cluster, provider }).length === 0 ? [] : kindsIn(services);
      const why = `no provider serves ${kind === '' ? 'this cluster' : `the node class ${quoteInput(kind)} there`}`;
      return problem(c, 404, 'unknown-provider', asSentence(`${why}${didYouMean(kind, kinds)}`));
    }
    const wanted = nodeClass === undefined ? {} : { nodeClass: { kind, name } };
    const answer = await questions.ask(listOfferings, { ...position, ...wanted, limit }, c.req.raw.signal);
    if (!answer.ok) return refuseAnswer(c, answer.error);
    const { next: rest, problems: unread } = answer.value;
    return c.json(
      {
        items: answer.value.items.map((row) => shown(position, row)),
        ...nextOf(places, position, rest),
        ...defined({ problems: unread }),
      },
      200,
    );
  });
}

const kindsIn = ({ clusters }: FunctionServices): string[] =>
  clusters.flatMap(({ providers }) => providers.flatMap(({ nodeClasses }) => nodeClasses.map(({ kind }) => kind)));

const isNamed = (kind: string, written: string): boolean => kind.toLowerCase() === written.toLowerCase();

function shown({ cluster, provider }: ProviderCursor, row: OfferingRow): z.infer<ReturnType<typeof offeringSchema>> {
  const { unavailable, ...rest } = row;
  if (unavailable === undefined) return { cluster, provider, ...rest };
  const { reason, until } = unavailable;
  return {
    cluster,
    provider,
    ...rest,
    unavailable: {
      ...defined({ reason }),
      ...(until === undefined ? {} : { until: isoTime(until) }),
    },
  };
}
