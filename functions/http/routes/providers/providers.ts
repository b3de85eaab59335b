import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { unavailableOfferings } from '../../../../shared/nodes/offerings/unavailable-offerings.ts';
import { listPauses } from '../../../../shared/nodes/pauses/pauses.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { providerNames } from '../../kit/known-names.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';

const providerSchema = late(() =>
  z
    .object({
      name: z.string(),
      type: z.string(),
      clusters: z.array(z.string()),
      nodeClasses: z.array(z.string()).openapi({ description: 'The kinds of node classes that it serves.' }),
      abilities: z.array(z.string()),
      paused: z
        .string()
        .optional()
        .openapi({ description: 'Why no instances are created with it; absent while it is not paused.' }),
      unavailableOfferings: z.number().int().openapi({
        description: 'How many marks of recently unavailable offerings there are; one mark may cover many offerings.',
      }),
      operationsAtOnce: z
        .number()
        .int()
        .optional()
        .openapi({ description: 'Concurrent creates and deletes, per cluster.' }),
    })
    .openapi('Provider'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/providers',
  access: 'read',
  operationId: 'listProviders',
  summary: 'The configured providers, and their state, without calling a cloud',
  responses: {
    200: {
      description: 'In the order of the configuration.',
      content: jsonAnswer(() => z.object({ items: z.array(providerSchema()) })),
    },
    ...problems(401, 403),
  },
});

export function addProviders(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const pauses = await listPauses(services);
    const items = await Promise.all(
      providerNames(services).map(async (name) => {
        const set = pauses.find((one) => one.kind === 'provider' && one.name === name);
        const marks = await unavailableOfferings(services, name);
        return { ...describe(services, name, set?.why), unavailableOfferings: marks.size };
      }),
    );
    return c.json({ items }, 200);
  });
}

/** @param why Set at run time; the configuration is looked at here. */
function describe(services: FunctionServices, name: string, why: string | undefined) {
  const serving = services.clusters.filter((cluster) => cluster.providers.some((one) => one.name === name));
  const providers = serving.flatMap((cluster) => cluster.providers.filter((one) => one.name === name));
  const configured = serving.some((cluster) => cluster.pausedProviders.has(name));
  const paused = configured ? 'in the configuration' : why === '' ? 'no reason was given' : why;
  const [first] = providers;
  return {
    name,
    type: serving[0]?.providerTypes?.get(name) ?? name,
    clusters: serving.map((cluster) => cluster.name),
    nodeClasses: [...new Set(providers.flatMap((one) => one.nodeClasses.map(({ kind }) => kind)))],
    abilities: [...(first?.traits.abilities ?? [])],
    ...defined({ paused }),
    ...(first?.traits.operationsAtOnce === undefined ? {} : { operationsAtOnce: first.traits.operationsAtOnce }),
  };
}
