/** What is shown of a claim. Small, because there may be ten thousand of them. */

import type { Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { firstUnmet, type Unmet, unmetText } from '../../../shared/explain/first-unmet.ts';
import { findCondition } from '../../../shared/kube/conditions.ts';
import type { KubeObject } from '../../../shared/kube/contract.ts';
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { annotations, conditionTypes, labels } from '../../../shared/nodes/claims/spec/well-known.ts';
import { shapeClaim } from '../../../shared/nodes/steps/claim-shape.ts';
import type { Column } from '../output/table.ts';
import { ageSince, priceText } from '../output/values.ts';
import { attemptOf } from './attempt-of.ts';
import { pricePerHour } from './price.ts';
import { isFailure, type Stage, stageOf } from './stage.ts';

export interface ClaimRow {
  name: string;
  uid: string;
  ready: string;
  stage: Stage;
  /** When the stage began. */
  since: string | undefined;
  createdAt: string | undefined;
  provider: string | undefined;
  instanceType: string | undefined;
  zone: string | undefined;
  capacityType: string | undefined;
  node: string | undefined;
  pool: string | undefined;
  providerID: string | undefined;
  image: string | undefined;
  price: number | undefined;
  why: Unmet | undefined;
}

export function claimRow(stored: NodeClaim & KubeObject, now = systemClock.now()): ClaimRow {
  const claim = shapeClaim(stored);
  const { metadata, status } = claim;
  const { labels: own = {} } = metadata;
  const attempt = attemptOf(metadata);
  // What is only being tried may still become something else, but it is what the claim waits for now.
  const tried = attempt?.state === 'open' ? attempt.offering : undefined;
  return {
    name: metadata.name,
    uid: metadata.uid,
    // Its condition stays as it was; a claim that is being deleted is no node to count on.
    ready:
      metadata.deletionTimestamp === undefined
        ? (findCondition(status?.conditions, conditionTypes.ready)?.status ?? 'Unknown')
        : 'False',
    ...stageOf(claim, attempt, now),
    createdAt: metadata.creationTimestamp,
    provider: attempt?.provider || metadata.annotations?.[annotations.provider],
    instanceType: own[labels.instanceType] ?? tried?.instanceType,
    zone: own[labels.zone] ?? tried?.zone,
    capacityType: own[labels.capacityType] ?? tried?.capacityType,
    node: status?.nodeName,
    pool: own[labels.nodePool],
    providerID: status?.providerID,
    image: status?.imageID,
    price: pricePerHour(metadata),
    why: firstUnmet(claim),
  };
}

/** A price is of a machine: what has none yet, costs nothing and has no price. */
export const shownPrice = ({ price, providerID }: ClaimRow): string =>
  price === undefined && providerID === undefined ? '' : priceText(price);

export const whyText = ({ why }: ClaimRow): string => (why === undefined ? '' : unmetText(why));

export const claimColumns = (now: () => number): Column<ClaimRow>[] => [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'READY', text: ({ ready }) => ready, style: ({ ready }) => (ready === 'True' ? 'green' : 'yellow') },
  { title: 'PROVIDER', spare: 4, text: ({ provider = '' }) => provider },
  { title: 'TYPE', spare: 5, text: ({ instanceType = '' }) => instanceType },
  { title: 'ZONE', spare: 3, text: ({ zone = '' }) => zone },
  { title: 'CAPACITY', spare: 2, text: ({ capacityType = '' }) => capacityType },
  { title: 'NODE', spare: 1, text: ({ node = '' }) => node },
  { title: 'AGE', spare: 7, text: ({ createdAt }) => ageSince(createdAt, now()) },
  { title: 'PRICE', spare: 6, text: shownPrice },
  { title: 'POOL', text: ({ pool = '' }) => pool, wide: true },
  { title: 'STAGE', text: ({ stage }) => stage, wide: true },
  { title: 'PROVIDERID', text: ({ providerID = '' }) => providerID, wide: true },
  { title: 'IMAGE', text: ({ image = '' }) => image, wide: true },
  { title: 'UID', text: ({ uid }) => uid, wide: true },
  // The longest comes last: on a narrow terminal it is what is cut.
  { title: 'WHY', text: whyText, style: ({ stage }) => (isFailure(stage) ? 'red' : undefined) },
];

/** For programs: every field is there, and null where nothing is known. */
export const claimData = ({ price, why, ...row }: ClaimRow): Json => ({
  name: row.name,
  uid: row.uid,
  ready: row.ready,
  stage: row.stage,
  since: row.since ?? null,
  createdAt: row.createdAt ?? null,
  provider: row.provider ?? null,
  instanceType: row.instanceType ?? null,
  zone: row.zone ?? null,
  capacityType: row.capacityType ?? null,
  node: row.node ?? null,
  pool: row.pool ?? null,
  providerID: row.providerID ?? null,
  image: row.image ?? null,
  pricePerHour: price ?? null,
  why: why === undefined ? null : { ...why },
});
