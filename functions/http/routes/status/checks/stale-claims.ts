/** Claims that should have come to their end long ago. */

import type { Check } from '../../../../../shared/base/checks.ts';
import { formatSeconds } from '../../../../../shared/base/durations.ts';
import { isTrue } from '../../../../../shared/kube/conditions.ts';
import { nodeClaims } from '../../../../../shared/kube/contract.ts';
import { listAll } from '../../../../../shared/kube/list-all.ts';
import { conditionTypes } from '../../../../../shared/nodes/claims/spec/well-known.ts';
import type { StoredClaim } from '../../../../../shared/nodes/steps/claim-access.ts';
import { shapeClaim } from '../../../../../shared/nodes/steps/claim-shape.ts';
import { isOurs } from '../../../../../shared/nodes/steps/is-ours.ts';
import type { ClusterServices } from '../../../../../shared/nodes/steps/services.ts';
import type { FunctionServices } from '../../../../declaration.ts';

/** A drain may take its time; whoever needs longer has said so by a grace period, or is blocked. */
const deletingSeconds = 3600;
const namesShown = 5;

export async function staleClaimChecks(
  services: FunctionServices,
  cluster: ClusterServices,
  signal: AbortSignal,
): Promise<Check[]> {
  const readySeconds = longestLaunch(cluster);
  const now = services.clock.now();
  const olderThan = (time: string | undefined, seconds: number): boolean =>
    now - Date.parse(time ?? '') > seconds * 1000;
  const unready: string[] = [];
  const deleting: string[] = [];
  let ours = 0;
  const listed = await listAll<StoredClaim>(
    cluster.api,
    nodeClaims,
    {},
    {
      onStart: () => {
        unready.length = 0;
        deleting.length = 0;
        ours = 0;
      },
      onItem: (stored) => {
        const claim = shapeClaim(stored);
        if (!isOurs(services, cluster.name, claim)) return;
        ours += 1;
        const { name, creationTimestamp, deletionTimestamp } = claim.metadata;
        if (deletionTimestamp !== undefined) {
          if (olderThan(deletionTimestamp, deletingSeconds)) deleting.push(name);
        } else if (
          !isTrue(claim.status?.conditions, conditionTypes.ready) &&
          olderThan(creationTimestamp, readySeconds)
        )
          unready.push(name);
      },
    },
    signal,
  );
  const name = `cluster ${cluster.name}: claims`;
  if (!listed.ok) return [{ name, state: 'warn', message: `not checked: ${listed.error.message}` }];
  const stale = [
    ...found(name, unready, `not Ready after ${formatSeconds(readySeconds)}`),
    ...found(name, deleting, `still being deleted after ${formatSeconds(deletingSeconds)}`),
  ];
  return stale.length > 0
    ? stale
    : [{ name, state: 'pass', message: `${ours} served by this deployment, none of them stuck` }];
}

function found(name: string, claims: readonly string[], what: string): Check[] {
  const [first] = claims;
  if (first === undefined) return [];
  const more = claims.length > namesShown ? ` and ${claims.length - namesShown} more` : '';
  const verb = claims.length === 1 ? 'claim is' : 'claims are';
  const message = `${claims.length} ${verb} ${what}: ${claims.slice(0, namesShown).join(', ')}${more}`;
  return [{ name, state: 'warn', message, code: 'StaleClaims', repair: `poolwright explain claim/${first}` }];
}

/** What the slowest provider of the cluster allows a launch. */
const longestLaunch = ({ providers }: ClusterServices): number =>
  Math.max(
    0,
    ...providers.map(({ traits: { deadlines } }) => {
      const { launchSeconds, registrationSeconds, initializationSeconds } = deadlines;
      return launchSeconds + registrationSeconds + initializationSeconds;
    }),
  );
