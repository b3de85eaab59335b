import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { capacityTypes } from '../../../../shared/nodes/claims/spec/well-known.ts';
import {
  clearMarks,
  listMarks,
  type MarkFilter,
  type OfferingMark,
} from '../../../../shared/nodes/offerings/unavailable-offerings.ts';
import { providerNames, unknownName } from '../../kit/known-names.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';

const markSchema = z
  .object({
    provider: z.string(),
    instanceType: z.string(),
    zone: z.string(),
    capacityType: z.enum(capacityTypes),
    reason: z.string().openapi({ description: 'What the cloud said.' }),
    until: z.string().openapi({ format: 'date-time', description: 'When it is tried again without anybody asking.' }),
    quota: z
      .boolean()
      .openapi({ description: 'True: the account may have no more of it. False: the cloud is out of it.' }),
    many: z.boolean().openapi({ description: 'True: it speaks for other offerings too, such as those of a family.' }),
  })
  .openapi('UnavailableOffering');

const path = '/v1/offerings/unavailable';

const list = createRoute({
  method: 'get',
  path,
  summary: 'Offerings that are passed over for a while, because the cloud refused them',
  request: { query: closedObject({ provider: z.string().max(253).optional() }) },
  responses: {
    200: {
      description: 'By provider, type, zone and capacity type.',
      content: { 'application/json': { schema: z.object({ items: z.array(markSchema) }) } },
    },
    ...problems(400, 401, 403, 404),
  },
});

const clear = createRoute({
  method: 'delete',
  path,
  summary: 'Let offerings be tried again at once',
  description:
    'Those of which all that the query says holds; all of them without a query. One that speaks for many is cleared if it may speak for one of these.',
  request: {
    query: closedObject({
      provider: z.string().max(253).optional(),
      instanceType: z.string().min(1).max(253).optional(),
      zone: z.string().min(1).max(253).optional(),
      capacityType: z.enum(capacityTypes).optional(),
      dryRun: z.enum(['true', 'false']).optional().openapi({ description: 'true: only say how many there are.' }),
    }),
  },
  responses: {
    200: {
      description: 'How many there were. To ask again does no harm.',
      content: { 'application/json': { schema: z.object({ cleared: z.number().int() }) } },
    },
    ...problems(400, 401, 403, 404),
  },
});

export function addUnavailableOfferings(app: HttpApp, { services }: HttpOptions): void {
  const unknownProvider = (name: string | undefined): string | undefined => {
    const known = providerNames(services);
    return name === undefined || known.includes(name) ? undefined : asSentence(unknownName('provider', name, known));
  };
  app.openapi(list, async (c) => {
    const { provider } = c.req.valid('query');
    const marks = await listMarks(services, provider);
    const unknown = unknownProvider(provider);
    if (marks.length === 0 && unknown !== undefined) return problem(c, 404, 'unknown-provider', unknown);
    return c.json({ items: marks.map(shown) }, 200);
  });
  app.openapi(clear, async (c) => {
    const { provider, instanceType, zone, capacityType, dryRun } = c.req.valid('query');
    const filter: MarkFilter = defined({ provider, instanceType, zone, capacityType });
    // First the deed: a provider that has left the configuration must not keep its marks for the day it comes back.
    const cleared = await clearMarks(services, filter, { dryRun: dryRun === 'true' });
    const unknown = unknownProvider(provider);
    if (cleared === 0 && unknown !== undefined) return problem(c, 404, 'unknown-provider', unknown);
    return c.json({ cleared }, 200);
  });
}

const shown = (mark: OfferingMark): z.infer<typeof markSchema> => {
  const { provider, instanceType, zone, capacityType, reason, until, quota = false, scope } = mark;
  const many = scope !== undefined;
  return { provider, instanceType, zone, capacityType, reason, until: isoTime(until), quota, many };
};
