/** Opens what requests for clusters need, where the configuration has a place for them; else nothing of it is loaded. */
import { ok, type Result } from '../../../../shared/base/result.ts';
import { makesClusters } from '../../../../shared/config/request-places.ts';
import type { OpenRequests, RequestParts } from './request-services.ts';

export async function openRequestsIfAny(parts: RequestParts): Promise<Result<OpenRequests | undefined>> {
  if (!makesClusters(parts.config)) return ok(undefined);
  const { openRequests } = await import('./request-services.ts');
  return await openRequests(parts);
}
