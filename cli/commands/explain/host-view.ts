/** What the host knows about a claim. */
import { allPages, type HostApi, HostProblem } from '../../reach/host-api.ts';

export interface HostDecision {
  at: string;
  step: string;
  text: string;
  detail?: unknown;
}

export interface HostWorkflow {
  id: string;
  workflow: string;
  status: string;
  startedAt: string;
  endedAt?: string;
  waitingFor?: string;
  error?: string;
  result?: unknown;
}

export interface HostView {
  cluster: string;
  name: string;
  uid: string;
  /** False: no provider here serves its node class. */
  ours?: boolean;
  decisions: HostDecision[];
  /** By the clock of the host. */
  now: string;
  standing: { acts: boolean; reason?: string; who?: string; why?: string };
  pauses: { kind: string; name: string; setBy: string; why?: string; at?: string }[];
  /** The newest launch and the newest end. */
  workflows: HostWorkflow[];
}

export interface HostLetter {
  id: string;
  reason: string;
  body: string;
  deadAt: string;
}

/** `named` is a uid that the user means; `seen` is that of the claim as the cluster has it. Undefined: there is no such claim. */
export async function askHost(
  host: HostApi,
  cluster: string,
  name: string,
  { named, seen }: { named: string | undefined; seen: string | undefined },
): Promise<HostView | undefined> {
  const path = `/v1/claims/${encodeURIComponent(cluster)}/${encodeURIComponent(name)}/decisions`;
  const ask = (query: Record<string, string>) => host.ask<HostView>('GET', path, { query });
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

/** So many dead letters are looked through for those about a claim. */
const mostLetters = 2000;

/** Those that speak of the claim by its uid, or by its name where they lack one. */
export async function lettersAbout(host: HostApi, name: string, uid: string): Promise<HostLetter[]> {
  const letters = await allPages<HostLetter>(host, '/v1/dead-letters', {}, mostLetters);
  return letters.filter(({ body }) => speaksOf(body, name, uid));
}

function speaksOf(body: string, name: string, uid: string): boolean {
  if (body.includes(uid)) return true;
  if (!body.includes(name)) return false;
  try {
    const data: unknown = JSON.parse(body);
    if (typeof data !== 'object' || data === null || !('data' in data)) return false;
    const about = data.data;
    return typeof about === 'object' && about !== null && 'name' in about && about.name === name && !('uid' in about);
  } catch {
    return false;
  }
}
