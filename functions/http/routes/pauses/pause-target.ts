/** Whom the routes that set and lift a pause speak of. */

import { z } from '@hono/zod-openapi';
import { asSentence } from '../../../../shared/base/text.ts';
import type { PauseTarget } from '../../../../shared/nodes/pauses/pauses.ts';
import type { FunctionServices } from '../../../declaration.ts';
import { clusterNames, providerNames, unknownName } from '../../kit/known-names.ts';

export const pauseParams = z.object({
  kind: z.enum(['cluster', 'provider']),
  name: z.string().min(1).max(253),
});

/** Why there is no such target, or undefined when there is. */
export function unknownTarget(services: FunctionServices, { kind, name }: PauseTarget): string | undefined {
  const known = kind === 'cluster' ? clusterNames(services) : providerNames(services);
  return known.includes(name) ? undefined : asSentence(unknownName(kind, name, known));
}

/** A sentence when the configuration pauses the target, whatever is asked for here. */
export function pausedInConfiguration(services: FunctionServices, { kind, name }: PauseTarget): string | undefined {
  const pausing = services.clusters.filter((cluster) =>
    kind === 'cluster' ? cluster.name === name && cluster.paused : cluster.pausedProviders.has(name),
  );
  if (pausing.length === 0) return undefined;
  const where = kind === 'cluster' ? '' : ` in ${pausing.map((cluster) => cluster.name).join(', ')}`;
  return `${kind} ${name} is still paused by the configuration${where}`;
}
