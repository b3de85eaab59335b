/** The names of the claims that workflows are about. An id has the uid alone, and not every engine can tell more without a call for each. */
import { nodeClaims } from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { readId } from '../../../shared/workflow/keys.ts';
import { type ClusterChoice, isNamed, openCluster } from '../../reach/cluster-access.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { Workflow } from './workflow.ts';

/** A cluster that does not answer must not keep the list from being seen for long. */
const patienceMs = 10_000;

export type NameClaims = (workflows: readonly Workflow[]) => Promise<Workflow[]>;

/** Asks the cluster of the kubeconfig for all its claims at once, and again only for a uid that was not looked for before. */
export function claimNames(choice: ClusterChoice, terminal: Terminal): NameClaims {
  const names = new Map<string, string>();
  const sought = new Set<string>();
  let isSaid = false;
  return async (workflows) => {
    const news = workflows.map(uidIn).filter((uid) => !sought.has(uid));
    if (news.length > 0) {
      const problem = await learn(choice, names);
      if (problem === undefined) for (const uid of news) sought.add(uid);
      else if (!isSaid) terminal.err(`Claim names are unavailable: ${printable(problem)}\n`);
      isSaid ||= problem !== undefined;
    }
    return workflows.map((one) => {
      const claim = names.get(uidIn(one));
      return claim === undefined ? one : { ...one, claim };
    });
  };
}

const uidIn = ({ id }: Workflow): string => readId(id)?.subject.uid ?? '';

/** What kept it from learning them, if something did. A cluster that was named must be there. */
async function learn(choice: ClusterChoice, names: Map<string, string>): Promise<string | undefined> {
  try {
    const api = await openCluster(choice);
    try {
      const onItem = ({ metadata: { uid, name } }: { metadata: { uid: string; name: string } }): void =>
        void names.set(uid, name);
      const listed = await listAll(api, nodeClaims, {}, { onItem }, AbortSignal.timeout(patienceMs));
      if (!listed.ok) throw clusterProblem(listed.error, api, nodeClaims);
      return undefined;
    } finally {
      api.close();
    }
  } catch (error) {
    if (error instanceof UserError && !isNamed(choice)) return error.message;
    throw error;
  }
}
