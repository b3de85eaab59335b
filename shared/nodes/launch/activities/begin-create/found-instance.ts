/** The answer for an instance that is there already. */

import type { Instance } from '../../../../providers/contract.ts';
import type { BeginCreateResult } from '../../../steps/answers.ts';
import type { LifecycleServices } from '../../../steps/services.ts';
import { foundSeconds } from '../../create.ts';

/** An instance that can't be used yet is waited for like one that was just begun. */
export const whatIsThere = (services: LifecycleServices, instance: Instance): BeginCreateResult => {
  const { handle, owner } = instance;
  if (handle === undefined) return { do: 'created', attempt: owner.attempt, instance };
  return { do: 'creating', attempt: owner.attempt, handle, seconds: foundSeconds, at: services.clock.now() };
};
