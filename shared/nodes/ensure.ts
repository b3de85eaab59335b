/** Starting what a claim needs, once, however many sources ask for it. */
import { defined } from '../base/defined.ts';
import { wantedWorkflow } from './claims/attempt/attempt.ts';
import { launch } from './launch/launch.ts';
import type { StoredClaim } from './steps/claim-access.ts';
import { viewClaim } from './steps/claim-access.ts';
import { refOf } from './steps/ref.ts';
import type { Cause } from './steps/report/cause.ts';
import { lookSignal } from './steps/retry-later.ts';
import { type ClaimRef, type LifecycleServices, workflowKey } from './steps/services.ts';
import { mayBeOurs } from './steps/taken-over.ts';
import { terminate } from './terminate/terminate.ts';

/** The kind of workflow that was started now, or undefined when none was needed or one runs already. */
export async function ensureWorkflow(
  services: LifecycleServices,
  cluster: string,
  claim: StoredClaim,
  cause?: Cause,
): Promise<'launch' | 'terminate' | undefined> {
  const view = viewClaim(claim);
  const wanted = wantedWorkflow(view, services.clock.now());
  if (wanted === undefined) return undefined;
  const at = services.cluster(cluster);
  if (at && !(await mayBeOurs(services, at, claim))) return undefined;
  const ref = refOf(cluster, claim);
  const workflow = wanted === 'launch' ? launch : terminate;
  const { started } = await services.workflows.ensure({
    workflow,
    key: workflowKey(ref, wanted),
    input: { ...ref, ...defined({ cause }) },
    group: cluster,
    // An engine that lost its journal must not start below a closer it has forgotten: such a launch would give way for ever.
    aboveEpoch: view.record?.closer?.epoch ?? 0,
  });
  return started ? wanted : undefined;
}

/** Wakes a launch that waits, so that it reads its claim now. */
export const wakeLaunch = (services: LifecycleServices, ref: ClaimRef): Promise<void> =>
  services.workflows.signal(workflowKey(ref, 'launch'), lookSignal);

/** Wakes an end that waits, for pods of a machine that may be dead by now. */
export const wakeTerminate = (services: LifecycleServices, ref: ClaimRef): Promise<void> =>
  services.workflows.signal(workflowKey(ref, 'terminate'), lookSignal);
