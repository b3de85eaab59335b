/** What a host knows about a claim, gathered in one go: the cluster is asked for the claim once. */
import { defined } from '../../../../shared/base/defined.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { type Timers, within } from '../../../../shared/base/timers.ts';
import { beganIn } from '../../../../shared/explain/began.ts';
import { askCluster } from '../../../../shared/explain/cluster-view.ts';
import { lettersAbout, mayLackItsEvent } from '../../../../shared/explain/dead-letters.ts';
import { factsOf, type Known, type KnownWorkflow } from '../../../../shared/explain/explain.ts';
import type { TracedWorkflow } from '../../../../shared/explain/spans.ts';
import { isOurs } from '../../../../shared/nodes/steps/is-ours.ts';
import { rememberedUid } from '../../../../shared/nodes/steps/report/claim-uids.ts';
import { readDecisions } from '../../../../shared/nodes/steps/report/decision-log.ts';
import type { ClusterServices } from '../../../../shared/nodes/steps/services.ts';
import type { WorkflowInfo } from '../../../../shared/workflow/contract.ts';
import type { FunctionServices } from '../../../declaration.ts';
import type { WorkflowAbilities } from '../../options.ts';
import { standingOf } from './claim-standing.ts';

export interface ExplainRequest {
  services: FunctionServices;
  cluster: ClusterServices;
  workflows: WorkflowAbilities | undefined;
  name: string;
  /** Of a claim that may be gone. */
  uid: string | undefined;
  /** With the history of its workflows. */
  isTraced: boolean;
  signal: AbortSignal;
  timers?: Timers;
}

/** A queue that is slow or very full must not hold back all that is known without it. */
const letterSearchMs = 5000;

export interface Gathered {
  uid: string;
  known: Known;
  workflows: WorkflowInfo[];
  /** The same, with their history as far as it was asked for. */
  traced: TracedWorkflow[];
  missing: ('events' | 'dead-letters')[];
}

/** Undefined: there is no such claim, and nothing is known of one that had the name. */
export async function gatherFacts(asked: ExplainRequest): Promise<Result<Gathered | undefined>> {
  const { services, cluster, name, isTraced } = asked;
  let seen = await askCluster(cluster.api, name, asked.uid, asked.signal);
  if (!seen.ok) return seen;
  let uid = asked.uid ?? seen.view.claim?.metadata.uid;
  if (uid === undefined) {
    uid = await rememberedUid(services.state, { cluster: cluster.name, name });
    if (uid === undefined) return ok(undefined);
    // Once more for its Events, which outlive it for a while.
    seen = await askCluster(cluster.api, name, uid, asked.signal);
    if (!seen.ok) return seen;
  }
  const { view } = seen;
  const ref = { cluster: cluster.name, name, uid };
  const [decisions, standing] = await Promise.all([
    readDecisions(services.state, ref),
    standingOf(services, cluster, ref),
  ]);
  const { workflows } = standing;
  const traced = await withHistory(asked, workflows, isTraced || beganIn(decisions) === undefined);
  const known: Known = {
    cluster: cluster.name,
    now: services.clock.now(),
    view,
    host: {
      ...defined({ ours: view.claim && isOurs(services, cluster.name, view.claim) }),
      decisions,
      standing: standing.standing,
      pauses: standing.pauses,
      workflows: traced,
      deadLetters: [],
    },
  };
  const letters = await deadLetters(asked, known, uid);
  const missing = [
    ...(view.eventsUnread ? (['events'] as const) : []),
    ...(letters === undefined ? (['dead-letters'] as const) : []),
  ];
  const host = known.host && { ...known.host, deadLetters: letters ?? [] };
  return ok({ uid, known: { ...known, ...defined({ host }) }, workflows, traced, missing });
}

/** An engine that keeps no history, or has tidied it away, leaves the decisions. */
async function withHistory(
  { workflows: abilities }: ExplainRequest,
  infos: readonly KnownWorkflow[],
  isWanted: boolean,
): Promise<TracedWorkflow[]> {
  return Promise.all(
    infos.map(async (info): Promise<TracedWorkflow> => {
      const found = isWanted ? await abilities?.inspect(info.id) : undefined;
      return found === undefined ? info : { ...info, input: found.input, history: found.history };
    }),
  );
}

/** Undefined: the queue could not be asked, or not in time, which is no reason to say nothing at all. */
async function deadLetters({ services, name, signal, timers }: ExplainRequest, known: Known, uid: string) {
  if (!mayLackItsEvent(factsOf(known))) return [];
  const enough = new AbortController();
  try {
    const stopped = AbortSignal.any([signal, enough.signal]);
    const search = lettersAbout((page) => services.events.deadLetters(page), name, uid, stopped);
    return await within(search, letterSearchMs, timers);
  } catch (error) {
    const path = '/v1/claims/{cluster}/{name}/explain';
    services.log.write('http.failed', { method: 'GET', path, instance: services.ids.next(), error });
    return undefined;
  } finally {
    enough.abort();
  }
}
