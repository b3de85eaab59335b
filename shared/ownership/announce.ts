/** Says it loudly when a deployment begins or ceases to act on a cluster: a log line, a metric, an Event on the Lease. */

import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import { nodeCrypto } from '../base/node-modules.ts';
import { cutText } from '../base/text.ts';
import { toWireTime } from '../kube/conditions.ts';
import { events } from '../kube/contract.ts';
import type { OwnableCluster, OwnershipParts } from './ownership.ts';
import type { ReadOnly, Standing } from './standing.ts';

/** Events live for an hour at most, so that what lasts has to be told now and then. */
const tellAgainSeconds = 1800;
const maxMessageLength = 1000;

export async function announce(
  parts: OwnershipParts,
  cluster: OwnableCluster,
  standing: Standing,
  from?: string,
): Promise<void> {
  const { state, metrics, log } = parts;
  const { name } = cluster.api;
  metrics.clusterOwner.set({ cluster: name }, standing.acts ? 1 : 0);
  const said = standing.acts ? 'acts' : newsOf(standing);
  const key = `announced/${name}`;
  const before = await state.get<string>(key);
  if (before?.value === said) return;
  const kept = await state.put(key, said, {
    ifVersion: before?.version ?? null,
    ...(standing.acts ? {} : { ttlSeconds: tellAgainSeconds }),
  });
  // Another process was quicker to say it.
  if (kept === undefined) return;
  const line = log.child({ cluster: name });
  if (standing.acts) {
    line.write('owner.acts', from ? { from } : {});
    if (before || from) await tell(parts, cluster, 'Normal', 'Owner', actsText(parts, from));
    return;
  }
  const { reason, who, why } = standing;
  line.write('owner.read-only', { reason, why, ...defined({ who }) });
  // A server that does not answer would not take an Event either.
  if (reason === 'OwnerUnknown') return;
  await tell(parts, cluster, 'Warning', reason, `Deployment ${parts.deployment} is read-only here: ${why}.`);
}

/** What makes it news: not the words, which may hold times. */
const newsOf = ({ reason, who, why }: ReadOnly): string =>
  reason === 'OwnerUnknown' ? reason : `${reason}/${who ?? why}`.slice(0, 1000);

const actsText = ({ deployment }: OwnershipParts, from: string | undefined): string =>
  `Deployment ${deployment} now manages this cluster${from ? `, after ${from}` : ''}.`;

/** Failing to tell it changes nothing. */
async function tell(
  { clock, deployment, log }: OwnershipParts,
  { api, lease }: OwnableCluster,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Promise<void> {
  const at = clock.now();
  const turn = Math.floor(at / (tellAgainSeconds * 1000));
  const digest = nodeCrypto()
    .createHash('sha256')
    .update(`${deployment}/${reason}/${message}/${turn}`)
    .digest('hex')
    .slice(0, 16);
  const { namespace, name } = lease;
  const event: Json = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${digest}`, namespace },
    involvedObject: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name },
    type,
    reason,
    message: cutText(message, maxMessageLength),
    source: { component: 'poolwright' },
    reportingComponent: 'poolwright',
    reportingInstance: deployment,
    firstTimestamp: toWireTime(at),
    lastTimestamp: toWireTime(at),
    count: 1,
  };
  const told = await api.create(events, event);
  // The same news within the same half hour is there already.
  if (told.ok || told.error.kind === 'conflict') return;
  log.write('claim.event.untold', { cluster: api.name, reason, problem: told.error.message });
}
