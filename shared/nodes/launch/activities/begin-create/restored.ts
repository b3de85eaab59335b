/** Rule 4: etcd may have been restored, so a claim that may be in a backup is looked for at the cloud before the write. */

import { adoptInstance, lookBeforeWrite } from '../../../claims/attempt/attempt.ts';
import type { BeginCreateResult } from '../../../steps/answers.ts';
import type { StoredClaim } from '../../../steps/claim-access.ts';
import { viewInstance } from '../../../steps/instance-view.ts';
import { recordDecision } from '../../../steps/report/decision-log.ts';
import { againAfter } from '../../../steps/retry-later.ts';
import type { LifecycleServices } from '../../../steps/services.ts';
import { recordFound } from '../../record-found.ts';
import type { Located, Looked } from './facts.ts';
import { whatIsThere } from './found-instance.ts';
import { type Stop, stop } from './gates.ts';

export async function restored(facts: Located): Promise<Stop | Pick<Looked, 'looked'>> {
  const looked = mayHaveBeenRestored(facts.services, facts.read.claim);
  const adopted = looked ? await lookFirst(facts) : undefined;
  return adopted ? stop(adopted) : { looked };
}

export function mayHaveBeenRestored(services: LifecycleServices, claim: StoredClaim): boolean {
  const age = services.clock.now() - Date.parse(claim.metadata.creationTimestamp);
  return !(age < services.settings.restoreHorizonSeconds * 1000);
}

/** An answer: an earlier instance was adopted, is being waited for, or the look failed. Undefined: write. */
async function lookFirst({
  services,
  input,
  context,
  place,
  read,
  at,
}: Located): Promise<BeginCreateResult | undefined> {
  const { ref, attempt } = input;
  const { cluster, provider } = place;
  const { signal } = context;
  const found = await provider.find(place.claim, signal);
  if (!found.ok) return againAfter(found.error, 3);
  const views = found.value.map((one) => viewInstance(one));
  const look = lookBeforeWrite(ref.uid, attempt, views);
  if (look.do === 'write') return undefined;
  if (look.do === 'wait') return { do: 'again', seconds: 5, why: 'an earlier instance of this claim is being deleted' };
  const instance = found.value[views.indexOf(look.instance)];
  if (!instance) return undefined;
  const by = { services, cluster, provider, ref, signal };
  const adopted = await recordFound(by, read.claim, instance, { rule: adoptInstance, at });
  if (!adopted.ok) return againAfter(adopted.failure);
  const { verdict } = adopted.result;
  if (!verdict.ok) return { do: 'refused', why: verdict.why };
  await recordDecision(services, ref, 'instance-found', { attempt: instance.owner.attempt, instance: instance.id });
  return whatIsThere(services, instance);
}
