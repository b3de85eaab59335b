import { z } from '@hono/zod-openapi';
import type { Check } from '../../../../shared/base/checks.ts';
import { systemTimers } from '../../../../shared/base/timers.ts';
import { scrubText } from '../../../../shared/observe/log/redact.ts';
import { apiRoute } from '../../kit/api-route.ts';
import { jsonAnswer } from '../../kit/late-schema.ts';
import { problems } from '../../kit/problem.ts';
import { type HttpApp, type HttpOptions, isoTime, type Readiness } from '../../options.ts';
import { checkSchema } from '../providers/check-provider.ts';
import { admissionChecks } from './checks/admissions.ts';
import { clusterChecks } from './checks/cluster.ts';
import { pauseChecks, workflowChecks } from './checks/pauses.ts';
import { nodeClassChecks, poolChecks } from './checks/pools.ts';
import { queueChecks } from './checks/queue.ts';
import { staleClaimChecks } from './checks/stale-claims.ts';
import { timerChecks } from './checks/timers.ts';
import { type Look, looked } from './checks/within.ts';

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
    const found = await Promise.all(looksOf(options).map((look) => looked(look, timers)));
    const checks = found.flat().map(({ message, ...rest }): Check => ({ ...rest, message: scrubText(message) }));
    return c.json({ now: isoTime(services.clock.now()), version, checks }, 200);
  });
}

function looksOf({ services, workflows, ready }: HttpOptions): Look[] {
  return [
    { name: 'host', look: async () => hostChecks(await ready()) },
    { name: 'queue events', look: async () => queueChecks(services) },
    { name: 'pauses', look: () => pauseChecks(services) },
    ...(workflows === undefined ? [] : [{ name: 'workflows', look: () => workflowChecks(workflows) }]),
    ...services.clusters.flatMap((cluster): Look[] => {
      const { name } = cluster;
      return [
        { name: `cluster ${name}`, look: (signal) => clusterChecks(services, cluster, signal) },
        { name: `cluster ${name}: timers`, look: () => timerChecks(services, name) },
        { name: `cluster ${name}: webhook`, look: () => admissionChecks(services, name) },
        { name: `cluster ${name}: pools`, look: (signal) => poolChecks(cluster, signal) },
        { name: `cluster ${name}: node classes`, look: (signal) => nodeClassChecks(cluster, signal) },
        { name: `cluster ${name}: claims`, look: (signal) => staleClaimChecks(services, cluster, signal) },
      ];
    }),
  ];
}

/** What only this host has. The clusters are looked at more closely. */
const hostChecks = ({ checks, own = Object.keys(checks) }: Readiness): Check[] =>
  own.map((name) => {
    const { ok, message } = checks[name] ?? { ok: true };
    return {
      name: name === 'host' ? 'host: ready' : name,
      state: ok ? 'pass' : 'fail',
      message: message ?? (ok ? 'ready' : 'not ready'),
      ...(ok ? {} : { code: 'NotReady' }),
    };
  });
