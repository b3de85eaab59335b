/** One row of the table for each claim of the demo, those that are gone included. */
import type { NodeClaim } from '../../../shared/nodes/claims/spec/types.ts';
import { annotations, conditionTypes, labels } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { Scene } from '../../../sim/scenes/scene.ts';
import type { Table } from './screen.ts';

export type Phase = 'Waiting' | 'Creating' | 'Booting' | 'Joining' | 'Ready' | 'Deleting' | 'Gone';

/** A type, because an interface has no index for the table. */
export type Row = {
  claim: string;
  wants: string;
  phase: Phase;
  type: string;
  zone: string;
  capacity: string;
  node: string;
  age: string;
};

export const claimTable: Table<Row> = {
  columns: ['claim', 'wants', 'phase', 'type', 'zone', 'capacity', 'node', 'age'],
  spare: ['wants', 'node', 'age', 'capacity', 'zone'],
  key: 'claim',
  phase: 'phase',
  details: ({ phase, type, zone, capacity, node }) =>
    phase === 'Waiting' || phase === 'Gone' ? '' : [type, zone, capacity, node].join(' ').trim(),
};

export const isTrue = (claim: NodeClaim, type: string): boolean =>
  claim.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

export const isReady = (claim: NodeClaim): boolean => isTrue(claim, conditionTypes.ready);

export function phaseOf(claim: NodeClaim): Phase {
  if (claim.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (isReady(claim)) return 'Ready';
  if (isTrue(claim, conditionTypes.registered)) return 'Joining';
  if (claim.status?.providerID !== undefined) return 'Booting';
  return offeringOf(claim) === undefined ? 'Waiting' : 'Creating';
}

/** Remembers rows, so that a claim that is gone is still shown as what it was. */
export function createRows(wishes: Scene['wishes']): (claims: readonly NodeClaim[], now: number) => Row[] {
  const rows = new Map<string, Row>();
  return (claims, now) => {
    const present = new Set(claims.map(({ metadata }) => metadata.name));
    for (const row of rows.values()) if (!present.has(row.claim)) row.phase = 'Gone';
    for (const claim of claims) rows.set(claim.metadata.name, rowOf(claim, now, wishes));
    const order = Object.keys(wishes);
    return [...rows.values()].sort((a, b) => order.indexOf(a.claim) - order.indexOf(b.claim));
  };
}

function rowOf(claim: NodeClaim, now: number, wishes: Scene['wishes']): Row {
  const { name, creationTimestamp, labels: own = {} } = claim.metadata;
  const offering = offeringOf(claim);
  const seconds = creationTimestamp === undefined ? 0 : Math.max(0, (now - Date.parse(creationTimestamp)) / 1000);
  return {
    claim: name,
    wants: wishes[name]?.wants ?? '',
    phase: phaseOf(claim),
    type: own[labels.instanceType] ?? offering?.instanceType ?? '',
    zone: own[labels.zone] ?? offering?.zone ?? '',
    capacity: own[labels.capacityType] ?? offering?.capacityType ?? '',
    node: claim.status?.nodeName ?? '',
    age: `${Math.floor(seconds)}s`,
  };
}

interface Offering {
  instanceType: string;
  zone: string;
  capacityType: string;
}

/** What is being tried for the claim, from its attempt record. Only shown, so what can't be read is left out. */
function offeringOf(claim: NodeClaim): Offering | undefined {
  try {
    const record = JSON.parse(claim.metadata.annotations?.[annotations.attempt] ?? '') as {
      state?: string;
      offering?: Offering;
    };
    return record.state === 'open' ? record.offering : undefined;
  } catch {
    return undefined;
  }
}
