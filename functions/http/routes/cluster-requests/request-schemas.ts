/** What the routes under /v1/cluster-requests answer. */
import { z } from '@hono/zod-openapi';
import { defined } from '../../../../shared/base/defined.ts';
import { requestAnnotations } from '../../../../shared/clusters/request/marks.ts';
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import { late } from '../../kit/late-schema.ts';
import { findingSchema } from '../../kit/problem.ts';

/** A request may have long lists of networks, labels and profiles. */
export const maxRequestBytes = 256 * 1024;

/** Either a ClusterRequest or flat parameters; which of the two, and what is wrong with it, the rules say with a field and a fix. */
export const requestBodySchema = z
  .looseObject({})
  .describe(
    'A ClusterRequest of poolwright.dev/v1alpha1, or the flat parameters of one, in camel case or in kebab case.',
  );

export const summarySchema = late(() =>
  z
    .object({
      cluster: z.string().openapi({ description: 'Where the request is kept.' }),
      namespace: z.string(),
      name: z.string(),
      uid: z.string(),
      location: z.string().optional(),
      kubernetesVersion: z.string().optional(),
      nodes: z.string().optional(),
      ready: z.enum(['True', 'False', 'Unknown']),
      reason: z.string().optional(),
      message: z.string().optional(),
      stage: z.string().optional().openapi({ description: 'The stage that is under way, or that has failed.' }),
      waitingFor: z.string().optional(),
      code: z.string().optional().openapi({ description: 'The error that holds the stage up.' }),
      createdAt: z.string(),
      readyAt: z.string().optional(),
      expiresAt: z.string().optional(),
      deleting: z.boolean(),
      guarded: z.boolean().openapi({ description: 'Whether a delete guard protects the cluster.' }),
      fqdn: z.string().optional(),
    })
    .openapi('ClusterRequestSummary'),
);

const objectSchema = late(() =>
  z
    .looseObject({
      apiVersion: z.string(),
      kind: z.string(),
      metadata: z.looseObject({ name: z.string(), namespace: z.string(), resourceVersion: z.string() }),
      spec: z.looseObject({}),
      status: z.looseObject({}).optional(),
    })
    .openapi('ClusterRequest'),
);

export const requestAnswerSchema = late(() =>
  z.object({
    cluster: z.string(),
    request: objectSchema(),
    created: z.boolean().optional().openapi({ description: 'After a create: whether it was new.' }),
    findings: z.array(findingSchema()).optional().openapi({ description: 'Warnings of a request that was accepted.' }),
  }),
);

export type RequestAnswer = z.infer<ReturnType<typeof requestAnswerSchema>>;

/** Without our own notes: they are long, and no client is to build on them. */
export function shownRequest(
  cluster: string,
  request: StoredRequest,
  more: Omit<RequestAnswer, 'cluster' | 'request'> = {},
): RequestAnswer {
  const { apiVersion = '', kind = '', metadata, spec, status } = request;
  const { annotations = {}, managedFields: _, ...kept } = metadata as typeof metadata & { managedFields?: unknown };
  const { [requestAnnotations.record]: __, ...shown } = annotations;
  const shownMetadata = Object.keys(shown).length > 0 ? { ...kept, annotations: shown } : kept;
  const object = { apiVersion, kind, metadata: shownMetadata, spec, ...defined({ status }) };
  return { cluster, request: object as unknown as RequestAnswer['request'], ...more };
}
