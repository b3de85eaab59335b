import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import type { Result } from '../../../../shared/base/result.ts';
import { within } from '../../../../shared/base/timers.ts';
import type { RequestSummary } from '../../../../shared/clusters/operations/summary.ts';
import type { Caller } from '../../../../shared/identity/callers.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer, late } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import type { HttpApp, HttpOptions } from '../../options.ts';
import { summarySchema } from '../cluster-requests/request-schemas.ts';
import { ownNamespace } from '../cluster-requests/request-target.ts';

const clusterSchema = late(() =>
  z
    .object({
      name: z.string(),
      uid: z
        .string()
        .optional()
        .openapi({ description: 'The uid of its namespace kube-system; absent until the host has read it.' }),
      providers: z.array(z.string()).openapi({ description: 'The names of the providers that serve it.' }),
      acts: z.boolean().openapi({ description: 'False: this deployment is read-only there.' }),
      reason: z.string().optional().openapi({ description: 'Why it is read-only, as in conditions and Events.' }),
      who: z
        .string()
        .optional()
        .openapi({ description: 'The deployment or provisioner that acts instead, if there is one.' }),
      why: z.string().optional(),
      settings: z
        .record(z.string(), z.unknown())
        .optional()
        .openapi({ description: 'The settings that the cluster provides.' }),
      settingsProblem: z.string().optional(),
    })
    .openapi('Cluster'),
);

const route = apiRoute({
  method: 'get',
  path: '/v1/clusters',
  access: 'read',
  operationId: 'listClusters',
  summary: 'The configured clusters, which deployment acts on each, and their settings',
  responses: {
    200: {
      description: 'In the order of the configuration.',
      content: jsonAnswer(() =>
        z.object({
          items: z.array(clusterSchema()),
          requests: z
            .array(summarySchema())
            .optional()
            .openapi({ description: 'Requests whose clusters are not ready; absent where the host carries out none.' }),
        }),
      ),
    },
    ...problems(401, 403),
  },
});

export function addClusters(app: HttpApp, { services }: HttpOptions): void {
  app.openapi(route, async (c) => {
    const items = await Promise.all(
      services.clusters.map(async ({ name, settings, identity, providers }) => {
        const identified = withoutWaiting(identity());
        const standing = await services.ownership.standing(name);
        const current = await settings.current(c.req.raw.signal);
        const problem = settings.problem();
        const uid = await identified;
        return {
          name,
          ...defined({ uid }),
          providers: providers.map((one) => one.name),
          ...standing,
          ...(current.ok ? { settings: current.value } : {}),
          ...defined({ settingsProblem: problem }),
        };
      }),
    );
    const requests = await unfinishedRequests(services, c.get('caller'), c.req.raw.signal);
    return c.json({ items, ...defined({ requests }) }, 200);
  });
}

/** Of the caller's team, as far as they can be read now: the list of clusters waits for no request. */
async function unfinishedRequests(
  { requests }: HttpOptions['services'],
  caller: Caller,
  signal: AbortSignal,
): Promise<RequestSummary[] | undefined> {
  if (requests === undefined) return undefined;
  const { isBeingBuilt, summaryOf } = await import('../../../../shared/clusters/operations/summary.ts');
  const namespace = ownNamespace(caller);
  const pages = await Promise.all(
    requests.places.map(async ({ name, store }) => {
      const page = await within(store.list(defined({ namespace }), signal), patienceMs);
      return page?.ok ? page.value.items.map((one) => summaryOf(name, one)) : [];
    }),
  );
  return pages.flat().filter(isBeingBuilt);
}

/** One cluster that is slow to say who it is must not keep the others from being told about. */
const patienceMs = 2000;

async function withoutWaiting(identity: Promise<Result<string>>): Promise<string | undefined> {
  const answer = await within(identity, patienceMs);
  return answer?.ok ? answer.value : undefined;
}
