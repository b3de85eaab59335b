import { z } from '@hono/zod-openapi';
import type { Check } from '../../../../shared/base/checks.ts';
import { systemTimers } from '../../../../shared/base/timers.ts';
import { scrubText } from '../../../../shared/observe/log/redact.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { type HttpApp, type HttpOptions, isoTime } from '../../options.ts';
import { checkSchema } from '../providers/check-provider.ts';

const route = apiRoute({
  method: 'get',
  path: '/v1/checks',
  access: 'read',
  operationId: 'runChecks',
  summary: "Run the host's checks of itself and its clusters now",
  description: 'Checks every cluster, so it may take a few seconds. A check that cannot run is a warning.',
  responses: {
    200: {
      description: 'All checks, those of the host first.',
      content: jsonAnswer(() =>
        z.object({
          now: z.string().openapi({ format: 'date-time', description: "According to the host's clock." }),
          version: z.string(),
          checks: z.array(checkSchema()),
        }),
      ),
    },
    ...problems(401, 403),
  },
});

export function addChecks(app: HttpApp, options: HttpOptions): void {
  const { services, version, timers = systemTimers } = options;
  app.openapi(route, async (c) => {
    // Loaded when somebody asks, because they bring the catalog of errors.
    const { looksOf, looked } = await import('./checks/looks.ts');
    const found = await Promise.all(looksOf(options).map((look) => looked(look, timers)));
    const checks = found.flat().map(({ message, ...rest }): Check => ({ ...rest, message: scrubText(message) }));
    return c.json({ now: isoTime(services.clock.now()), version, checks }, 200);
  });
}
