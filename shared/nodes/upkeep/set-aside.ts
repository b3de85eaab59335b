/**
 * A claim whose workflow was set aside: for a while nothing is done for it, on purpose, because the host kept dying at one
 * of its steps. That must not happen in silence: whoever looks at the claim sees why it stands still, and what to do.
 */
import { defined } from '../../base/defined.ts';
import { wantedWorkflow } from '../claims/attempt/attempt.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import {
  type ClaimChange,
  changeClaim,
  conditionOf,
  type StoredClaim,
  statusChange,
  viewClaim,
} from '../steps/claim-access.ts';
import { refOf } from '../steps/ref.ts';
import { emitEventThrottled } from '../steps/report/claim-events.ts';
import { decisionText } from '../steps/report/decision-catalog.ts';
import { recordDecision } from '../steps/report/decision-log.ts';
import { type ClusterServices, type LifecycleServices, workflowKey } from '../steps/services.ts';
import { statusPatch } from '../steps/status.ts';

const reason = 'SetAside';
const stages = [conditionTypes.launched, conditionTypes.registered, conditionTypes.initialized];

/** Does nothing for a claim that rests, or whose workflow runs. */
export async function saySetAside(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal?: AbortSignal,
): Promise<void> {
  const wanted = wantedWorkflow(viewClaim(claim), services.clock.now());
  if (wanted === undefined) return;
  const ref = refOf(cluster.name, claim);
  const latest = await services.workflows.latest(workflowKey(ref, wanted));
  if (latest?.status !== 'set-aside') return;
  const aside = { workflow: wanted, id: latest.id, ...defined({ error: latest.error }) };
  const message = decisionText('set-aside', aside);
  if (wanted === 'launch') {
    await changeClaim(
      cluster,
      ref,
      (read): ClaimChange<null> => {
        if (read.found !== 'claim' || read.view.deleting) return { write: undefined, result: null };
        // A condition that is True speaks of what was reached; the next one is what the claim waits for.
        const type = stages.find((stage) => conditionOf(read.claim, stage)?.status !== 'True');
        if (type === undefined) return { write: undefined, result: null };
        const change = { type, status: 'Unknown' as const, reason, message };
        const write = statusPatch(read.claim, services.clock.now(), [change]);
        return statusChange(write, null);
      },
      signal,
    );
  }
  if (await emitEventThrottled(services, cluster, claim, 'Warning', reason, message))
    await recordDecision(services, ref, 'set-aside', aside);
}
