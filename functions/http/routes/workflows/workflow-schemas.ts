/** How workflows look from outside, and how they are named in a path. */
import { z } from '@hono/zod-openapi';
import { getPath } from 'hono/utils/url';
import type { WorkflowInfo } from '../../../../shared/workflow/contract.ts';
import type { Waiting } from '../../../../shared/workflow/waiting.ts';
import { late } from '../../kit/late-schema.ts';
import { isoTime, type WorkflowInspection } from '../../options.ts';

export const statusSchema = z.enum(['running', 'completed', 'failed', 'mismatched', 'set-aside']);

const time = z.string().openapi({ format: 'date-time' });

const workflowWait = late(() =>
  z.object({
    command: z.string().openapi({ example: 'poll' }),
    name: z.string().optional().openapi({ description: 'The activity or the signal.', example: 'pollCreate' }),
    until: time.optional().openapi({ description: 'When it continues automatically.' }),
  }),
);

export const workflowSchema = late(() =>
  z
    .object({
      id: z.string(),
      key: z.string(),
      epoch: z.number().int(),
      workflow: z.string(),
      version: z.number().int(),
      status: statusSchema,
      startedAt: time,
      endedAt: time.optional(),
      waitingFor: z.string().optional(),
      waiting: workflowWait().optional().openapi({ description: 'The content of `waitingFor`, as data.' }),
      result: z.unknown().optional(),
      error: z.string().optional(),
    })
    .openapi('Workflow'),
);

export const inspectionSchema = late(() =>
  workflowSchema()
    .extend({
      group: z.string(),
      input: z.unknown(),
      history: z.array(
        z.object({
          step: z.number().int(),
          command: z.string(),
          ok: z.boolean(),
          value: z.unknown().optional(),
          error: z.string().optional(),
          at: time,
        }),
      ),
      signals: z.array(z.string()),
    })
    .openapi('WorkflowHistory'),
);

export const workflowParams = z.object({
  id: z.string().min(1).max(1024).openapi({
    description: 'Slashes may be plain or encoded as %2F.',
    example: 'production/8f6f1d0e-6f3b-4f55-9d0a-0a4c3c1d2e3f/launch/1',
  }),
});

// The return types are stated: what is inferred from plain JSON, which contains itself, is more than the compiler follows.
export const shownWorkflow = ({
  startedAt,
  endedAt,
  waiting,
  ...info
}: WorkflowInfo): z.infer<ReturnType<typeof workflowSchema>> => ({
  ...info,
  startedAt: isoTime(startedAt),
  ...(endedAt === undefined ? {} : { endedAt: isoTime(endedAt) }),
  ...(waiting === undefined ? {} : { waiting: shownWaiting(waiting) }),
});

const shownWaiting = ({ until, ...waiting }: Waiting): z.infer<ReturnType<typeof workflowSchema>>['waiting'] => ({
  ...waiting,
  ...(until === undefined ? {} : { until: isoTime(until) }),
});

export const shownInspection = (found: WorkflowInspection): z.infer<ReturnType<typeof inspectionSchema>> => ({
  ...shownWorkflow(found),
  group: found.group,
  input: found.input,
  history: found.history.map(({ at, ...line }) => ({ ...line, at: isoTime(at) })),
  signals: found.signals,
});

/**
 * The path of a request for the router. The id of a workflow has slashes in it, and a parameter is one segment: they are
 * encoded here unless the caller has done so.
 */
export function pathOf(request: Request): string {
  const path = getPath(request);
  const [, id, verb = ''] = /^\/v1\/workflows\/(.+?)(\/retry|\/restart)?$/.exec(path) ?? [];
  return id === undefined ? path : `/v1/workflows/${id.replaceAll('/', '%2F')}${verb}`;
}
