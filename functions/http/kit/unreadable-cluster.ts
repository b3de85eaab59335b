/** The answer where a cluster does not answer us. */
import type { Context } from 'hono';
import type { Failure } from '../../../shared/base/result.ts';
import { problem } from './problem.ts';

export function clusterUnreadable(c: Context, cluster: string, { message, retryAfterSeconds }: Failure) {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
  return problem(c, 503, 'cluster-unavailable', `Cluster ${cluster} can't be read: ${message}`, {}, headers);
}
