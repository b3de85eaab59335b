/** How long each stage may take: the claim's annotation wins over the node class, which wins over the provider. */
import { parseDuration } from '../../base/durations.ts';
import { asObject, type Json } from '../../base/json.ts';
import type { Provider } from '../../providers/contract.ts';
import { annotations } from '../claims/spec/well-known.ts';
import type { StoredClaim } from './claim-access.ts';

export interface Deadlines {
  launchSeconds: number;
  registrationSeconds: number;
  initializationSeconds: number;
}

export function deadlinesOf(claim: StoredClaim, nodeClassSpec: Json | undefined, provider: Provider): Deadlines {
  const ofClass = asObject(asObject(nodeClassSpec)?.deadlines);
  const ofClaim = claim.metadata.annotations;
  const pick = (annotation: string, field: string, fallback: number): number =>
    seconds(ofClaim?.[annotation]) ?? seconds(ofClass?.[field]) ?? fallback;
  const { deadlines } = provider.traits;
  return {
    launchSeconds: pick(annotations.launchDeadline, 'launch', deadlines.launchSeconds),
    registrationSeconds: pick(annotations.registrationDeadline, 'registration', deadlines.registrationSeconds),
    initializationSeconds: pick(annotations.initializationDeadline, 'initialization', deadlines.initializationSeconds),
  };
}

/** An unreadable duration counts as absent here; `choose` has refused it before anything was bought. */
function seconds(value: Json | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = parseDuration(value);
  return parsed.ok ? parsed.milliseconds / 1000 : undefined;
}
