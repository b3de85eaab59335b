/** The policy of the configuration, asked by the workflow before anything is made. */
import { ok } from '../../../../shared/base/result.ts';
import { checkPolicy } from '../../../../shared/clusters/policy/check-policy.ts';
import { openPolicy, type Policy, type TeamPolicy } from '../../../../shared/clusters/policy/policy.ts';
import type { RequestPolicy } from '../../../../shared/clusters/services.ts';
import type { RequestStore, StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import type { Config } from '../../../../shared/config/load.ts';

export const policyOf = ({ policy }: Config['clusterRequests']): Policy => ({ ...openPolicy, ...policy });

export const requestPolicy = (policy: Policy, store: RequestStore): RequestPolicy => ({
  async check({ request, resolved }, signal) {
    const others = limitsClusters(policy, resolved.namespace) ? await earlierOnes(store, request, signal) : ok([]);
    return others.ok ? ok(checkPolicy(policy, resolved, { others: others.value })) : others;
  },
});

/** Whoever has no limit needs no list. */
const limitsClusters = ({ everyTeam, teams }: Policy, team: string): boolean =>
  [everyTeam, teams[team]].some((one: TeamPolicy | undefined) => one?.clusters !== undefined);

/** The requests of the team that came before this one. What is being deleted makes room. */
async function earlierOnes(store: RequestStore, request: StoredRequest, signal?: AbortSignal) {
  const { namespace } = request.metadata;
  const names: string[] = [];
  let from: string | undefined;
  do {
    const page = await store.list({ namespace, ...(from === undefined ? {} : { continue: from }) }, signal);
    if (!page.ok) return page;
    for (const { metadata } of page.value.items) {
      if (metadata.deletionTimestamp === undefined && orderOf(metadata) < orderOf(request.metadata)) {
        names.push(`${namespace}/${metadata.name}`);
      }
    }
    from = page.value.continue;
  } while (from !== undefined);
  return ok(names);
}

/** The time of creation has whole seconds only. */
const orderOf = ({ creationTimestamp, uid }: StoredRequest['metadata']): string => `${creationTimestamp}/${uid}`;
