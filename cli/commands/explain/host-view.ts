/** What the host says about a claim: the whole explanation, or, where the host can't give it, what it knows. */
import { defined } from '../../../shared/base/defined.ts';
import type { Answer, AnsweredDecision, AnsweredWorkflow } from '../../../shared/explain/answer.ts';
import { lettersAbout } from '../../../shared/explain/dead-letters.ts';
import type { DiagnosisFacts } from '../../../shared/explain/diagnosis.ts';
import { type HostApi, HostProblem } from '../../reach/host-api.ts';

export interface HostView {
  cluster: string;
  name: string;
  uid: string;
  /** False: no provider here serves its node class. */
  ours?: boolean;
  decisions: AnsweredDecision[];
  /** By the clock of the host. */
  now: string;
  standing: NonNullable<Answer['standing']>;
  pauses: Answer['pauses'];
  /** The newest launch and the newest end. */
  workflows: AnsweredWorkflow[];
}

export interface HostLetter {
  id: string;
  reason: string;
  body: string;
  deadAt: string;
}

const pathOf = (cluster: string, name: string, what: string): string =>
  `/v1/claims/${encodeURIComponent(cluster)}/${encodeURIComponent(name)}/${what}`;

/**
 * Undefined: it has none. An older host does not know how, one that does not reach the cluster can't, and the cluster may have no such
 * claim: in each case others may know more.
 */
export async function askExplanation(
  host: HostApi,
  cluster: string,
  name: string,
  { uid, trace }: { uid: string | undefined; trace: boolean },
): Promise<Answer | undefined> {
  const query = { ...defined({ uid }), ...(trace ? { trace: 'true' } : {}) };
  try {
    return await host.ask<Answer>('GET', pathOf(cluster, name, 'explain'), { query });
  } catch (error) {
    if (error instanceof HostProblem && withoutExplanation.has(error.kind)) return undefined;
    throw error;
  }
}

const withoutExplanation: ReadonlySet<string> = new Set(['unknown-path', 'cluster-unavailable', 'unknown-claim']);

/** `named` is a uid that the user means; `seen` is that of the claim as the cluster has it. Undefined: there is no such claim. */
export async function askHost(
  host: HostApi,
  cluster: string,
  name: string,
  { named, seen }: { named: string | undefined; seen: string | undefined },
): Promise<HostView | undefined> {
  const ask = (query: Record<string, string>) =>
    host.ask<HostView>('GET', pathOf(cluster, name, 'decisions'), { query });
  // Under the name may stand another one by now.
  if (named !== undefined) return ask({ uid: named });
  try {
    // Without a uid the host reads the claim, and can tell whether it is served at all.
    return await ask({});
  } catch (error) {
    if (!(error instanceof HostProblem)) throw error;
    const isGone = error.kind === 'unknown-claim';
    const isAway = error.kind === 'cluster-unavailable';
    if (seen !== undefined && (isGone || isAway)) return ask({ uid: seen });
    if (isGone) return undefined;
    throw error;
  }
}

/** Those that speak of the claim, looked for from here. */
export const hostLetters = (host: HostApi, name: string, uid: string): Promise<DiagnosisFacts['deadLetters']> =>
  lettersAbout(
    async ({ after }) => {
      const query = { limit: '100', ...defined({ after }) };
      const page = await host.ask<{ items: HostLetter[]; next?: string }>('GET', '/v1/dead-letters', { query });
      const items = page.items.map((letter) => ({ ...letter, deadAt: Date.parse(letter.deadAt) }));
      return { items, ...defined({ next: page.next }) };
    },
    name,
    uid,
  );
