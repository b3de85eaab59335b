/** Has a claim adopted by one provider: it alone may mark the machine. */
import type { Result } from '../../../shared/base/result.ts';
import { type AdoptionFound, type AdoptionWish, adoptClaim } from '../../../shared/nodes/adopt/adopt.ts';
import type { FunctionServices } from '../../declaration.ts';

export type AdoptClaimInput = AdoptionWish;
export type AdoptClaimOutput = AdoptionFound;

export const answerAdoptClaim = (
  services: FunctionServices,
  wish: AdoptClaimInput,
  signal: AbortSignal,
): Promise<Result<AdoptClaimOutput>> => adoptClaim(services, wish, signal);
