import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { asSentence } from '../../../../shared/base/text.ts';
import { capacityTypes } from '../../../../shared/nodes/claims/spec/well-known.ts';
import {
  clearMarks,
  listMarks,
  type MarkFilter,
  type OfferingMark,
} from '../../../../shared/nodes/offerings/unavailable-offerings.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { providerNames, unknownName } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problem, problems } from '../../kit/problem.ts';
import { closedObject } from '../../kit/validation.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';

const markSchema = late(() =>
  z
    .object({
      provider: z.string(),
      instanceType: z.string(),
      zone: z.string(),
      capacityType: z.enum(capacityTypes),
      reason: z.string().openapi({ description: "The cloud's message." }),
      until: z.string().openapi({ format: 'date-time', description: 'When it is available for retries again.' }),
      quota: z
        .boolean()
        .openapi({ description: 'True: a quota of the account is used up. False: the cloud is out of capacity.' }),
      many: z.boolean().openapi({ description: 'True: it also covers other offerings, such as those of a family.' }),
    })
    .openapi('UnavailableOffering'),
);

const path = '/v1/offerings/unavailable';

const list = apiRoute({
  method: 'get',
  path,
  access: 'read',
  operationId: 'listUnavailableOfferings',
  summary: 'Offerings that are skipped for a while because the cloud refused them',
  request: { query: closedObject({ provider: z.string().max(253).optional() }) },
  responses: {
    200: {
      description: 'Sorted by provider, type, zone and capacity type.',
      content: jsonAnswer(() => z.object({ items: z.array(markSchema()) })),
    },
    ...problems(400, 401, 403, 404),
  },
});

const clear = apiRoute({
  method: 'delete',
  path,
  access: 'clear',
  operationId: 'clearUnavailableOfferings',
  summary: 'Allow skipped offerings to be tried again immediately',
  description:
    'Clears those that match all query parameters, or all of them without a query. One that covers several offerings is cleared if it may cover a match. Claims and pools that wait for a retry continue at once.',
  request: {
    query: closedObject({
      provider: z.string().max(253).optional(),
      instanceType: z.string().min(1).max(253).optional(),
      zone: z.string().min(1).max(253).optional(),
      capacityType: z.enum(capacityTypes).optional(),
      dryRun: z.enum(['true', 'false']).optional().openapi({ description: 'true: only report how many there are.' }),
    }),
  },
  responses: {
    200: {
      description: 'How many there were. Safe to repeat.',
      content: jsonAnswer(() => z.object({ cleared: z.number().int() })),
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
    if (cleared > 0 && dryRun !== 'true') {
      const clusters = services.clusters.filter(
        ({ providers }) => provider === undefined || providers.some((one) => one.name === provider),
      );
      const { wakeWaiting } = await import('../../../reconcilers/wake-waiting.ts');
      // They are cleared in any case; what was not woken continues at its next retry.
      await wakeWaiting(services, clusters, c.req.raw.signal).catch((error: unknown) =>
        services.log.write('http.failed', { method: 'DELETE', path, instance: services.ids.next(), error }),
      );
    }
    return c.json({ cleared }, 200);
  });
}

const shown = (mark: OfferingMark): z.infer<ReturnType<typeof markSchema>> => {
  const { provider, instanceType, zone, capacityType, reason, until, quota = false, scope } = mark;
  const many = scope !== undefined;
  return { provider, instanceType, zone, capacityType, reason, until: isoTime(until), quota, many };
};
