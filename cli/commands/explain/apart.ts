/**
 * Where no host gives the whole explanation: what the cluster says and what the host knows, asked each for itself. Either may be out of
 * reach: then the other one is asked alone, and what is missing is said.
 */
import { defined } from '../../../shared/base/defined.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type Answer, answeredSpan, answerOf } from '../../../shared/explain/answer.ts';
import { askCluster, type ClusterView } from '../../../shared/explain/cluster-view.ts';
import { mayLackItsEvent } from '../../../shared/explain/dead-letters.ts';
import { explain, factsOf } from '../../../shared/explain/explain.ts';
import { type TracedWorkflow, traceSpans } from '../../../shared/explain/spans.ts';
import { type ClusterApi, nodeClaims } from '../../../shared/kube/contract.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import type { HostApi } from '../../reach/host-api.ts';
import { type Apart, knownFrom, type ShownWorkflow, workflowOf } from './facts.ts';
import { askHost, hostLetters } from './host-view.ts';

export interface AskedApart {
  host: HostApi | undefined;
  cluster: ClusterApi | undefined;
  /** As the host calls it; undefined where the host can't be asked. */
  hostedAs: string | undefined;
  /** What to call it where the host has no name for it. */
  calledElse: string;
  name: string;
  uid: string | undefined;
  trace: boolean;
  /** Undefined: nobody answered, and it was noted why. */
  attempt<T>(what: string, ask: () => Promise<T>): Promise<T | undefined>;
}

/** `isAnswered`: somebody answered, but has no such claim. */
export type FoundApart = { answer: Answer } | { isAnswered: boolean };

export async function explainApart(asked: AskedApart): Promise<FoundApart> {
  const { host, cluster, hostedAs, name, uid, attempt } = asked;
  const seen = cluster && (await attempt('The cluster was not queried', () => lookUp(cluster, name, uid)));
  const known = uid ?? seen?.claim?.metadata.uid;
  const told =
    host && hostedAs !== undefined
      ? await attempt('The host was not queried', async () => ({
          view: await askHost(host, hostedAs, name, { named: uid, seen: known }),
        }))
      : undefined;
  const view = told?.view;
  const found = known ?? view?.uid;
  if (found === undefined) return { isAnswered: seen !== undefined || told !== undefined };
  const now = Date.parse(view?.now ?? '');
  const apart: Apart = {
    clusterName: hostedAs ?? asked.calledElse,
    now: Number.isFinite(now) ? now : systemClock.now(),
    ...defined({ cluster: seen, host: view }),
    letters: [],
  };
  const letters =
    host && view && mayLackItsEvent(factsOf(knownFrom(apart)))
      ? await attempt('The dead letters were not searched', () => hostLetters(host, name, found))
      : undefined;
  return { answer: await answerFrom({ ...apart, letters: letters ?? [] }, { name, uid: found }, asked) };
}

async function answerFrom(apart: Apart, ref: { name: string; uid: string }, { host, trace }: AskedApart) {
  const shown = await Promise.all((apart.host?.workflows ?? []).map((one) => withHistory(host, one)));
  const known = knownFrom(apart, shown);
  const explained = explain(known);
  const spans = trace ? { spans: traceSpans(explained, shown, known.now).map(answeredSpan) } : {};
  return { ...answerOf(ref, known, explained, { workflows: apart.host?.workflows ?? [] }), ...spans };
}

/** An engine that keeps no history, or has tidied it away, leaves the decisions. */
async function withHistory(host: HostApi | undefined, workflow: ShownWorkflow): Promise<TracedWorkflow> {
  const shown = await host?.ask<ShownWorkflow>('GET', `/v1/workflows/${workflow.id}`).catch(() => undefined);
  const { history, input } = shown ?? {};
  return workflowOf({ ...workflow, ...defined({ history, input }) });
}

async function lookUp(cluster: ClusterApi, name: string, uid: string | undefined): Promise<ClusterView> {
  const seen = await askCluster(cluster, name, uid);
  if (!seen.ok) throw clusterProblem(seen.error, cluster, nodeClaims);
  return seen.view;
}
