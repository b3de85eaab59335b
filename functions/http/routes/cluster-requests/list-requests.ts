import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import type { RequestPlace } from '../../../../shared/clusters/services.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { summarySchema } from './request-schemas.ts';
import { askedPlace, clusterParam, otherTeam, ownNamespace, refuseStore } from './request-target.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/cluster-requests',
  access: 'read',
  operationId: 'listClusterRequests',
  summary: 'Requests for clusters, and how far each is',
  description: 'A caller with the role admin sees all namespaces; every other caller sees the namespace of its team.',
  request: {
    query: closedObject({
      cluster: clusterParam.optional(),
      namespace: z.string().min(1).max(63).optional(),
      // Tokens of an API server are longer than those of our own lists.
      after: z.string().min(1).max(4096).optional().openapi({ description: 'The `next` of the previous page.' }),
      limit: z.coerce.number().int().min(1).max(100).default(100),
    }),
  },
  responses: {
    200: {
      description: 'One page. Go on with `next` while there is one.',
      content: jsonAnswer(() => z.object({ items: z.array(summarySchema()), next: z.string().optional() })),
    },
    ...problems(400, 401, 403, 404, 503),
  },
});

export function addClusterRequests(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const { cluster, after, limit, namespace = ownNamespace(c.get('caller')) } = c.req.valid('query');
    if (namespace !== undefined) {
      const foreign = otherTeam(c, namespace);
      if (foreign !== undefined) return foreign as never;
    }
    const at = startOf(after);
    if (at === undefined) return problem(c, 400, 'invalid-request', 'In the query: after is not the next of a page.');
    const asked = askedPlace(c, services, cluster ?? at.place ?? services.requests?.places[0]?.name);
    if (asked instanceof Response) return asked as never;
    const { requests, place } = asked;
    const options = { limit, ...defined({ namespace, continue: at.token }) };
    const page = await place.store.list(options, c.req.raw.signal);
    if (!page.ok && page.error.kind === 'conflict') {
      return problem(c, 400, 'invalid-request', 'In the query: after is too old. Begin again without it.');
    }
    if (!page.ok) return refuseStore(c, asked, '', page.error) as never;
    const { summaryOf } = await import('../../../../shared/clusters/operations/summary.ts');
    const items = page.value.items.map((one) => summaryOf(place.name, one));
    const others = cluster === undefined ? requests.places : [];
    const next = nextOf(place, page.value.continue, others);
    return c.json({ items, ...defined({ next }) }, 200);
  });
}

/** A page names the place that it continues in: several are read one after the other. */
function nextOf(
  { name }: RequestPlace,
  token: string | undefined,
  places: readonly RequestPlace[],
): string | undefined {
  if (token !== undefined) return encode({ place: name, token });
  const following = places[places.findIndex((one) => one.name === name) + 1];
  return following === undefined || !places.some((one) => one.name === name)
    ? undefined
    : encode({ place: following.name });
}

interface Start {
  place?: string;
  token?: string;
}

const encode = (start: Start): string => Buffer.from(JSON.stringify(start)).toString('base64url');

/** Undefined for what no page of ours has said. */
function startOf(after: string | undefined): Start | undefined {
  if (after === undefined) return {};
  try {
    const read: unknown = JSON.parse(Buffer.from(after, 'base64url').toString('utf8'));
    if (typeof read !== 'object' || read === null) return undefined;
    const { place, token } = read as { place?: unknown; token?: unknown };
    if (typeof place !== 'string' || (token !== undefined && typeof token !== 'string')) return undefined;
    return { place, ...defined({ token }) };
  } catch {
    return undefined;
  }
}
