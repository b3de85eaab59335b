/** One row of the table for each request of the demo, those that are gone included. */
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import type { Table } from '../screen.ts';

export type RequestRow = {
  request: string;
  phase: string;
  stage: string;
  since: string;
  waits: string;
};

export const requestTable: Table<RequestRow> = {
  columns: ['request', 'phase', 'stage', 'since', 'waits'],
  spare: ['waits', 'since'],
  key: 'request',
  phase: 'phase',
  details: ({ phase, stage }) => (phase === 'Provisioning' || phase === 'Failed' ? stage : ''),
};

const readyOf = ({ status }: StoredRequest) => status?.conditions?.find(({ type }) => type === 'Ready');

/** Ready for what it says now. */
export const isReady = (request: StoredRequest): boolean =>
  readyOf(request)?.status === 'True' && request.status?.observedGeneration === request.metadata.generation;

export const failedStage = ({ status }: StoredRequest) => status?.stages?.find(({ state }) => state === 'Failed');

function phaseOf(request: StoredRequest): string {
  if (request.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (isReady(request)) return 'Ready';
  if (failedStage(request) !== undefined) return 'Failed';
  return request.status === undefined ? 'Waiting' : 'Provisioning';
}

/** Remembers rows, so that a request that is gone is still shown as what it was. */
export function createRequestRows(): (requests: readonly StoredRequest[], now: number) => RequestRow[] {
  const rows = new Map<string, RequestRow>();
  return (requests, now) => {
    const present = new Set(requests.map(({ metadata }) => metadata.name));
    for (const row of rows.values()) if (!present.has(row.request)) Object.assign(row, { phase: 'Gone', waits: '' });
    for (const request of requests) rows.set(request.metadata.name, rowOf(request, now));
    return [...rows.values()];
  };
}

function rowOf(request: StoredRequest, now: number): RequestRow {
  const phase = phaseOf(request);
  const { stage: name = '', stages = [] } = request.status ?? {};
  const stage = stages.find((one) => one.name === name);
  const seconds = stage?.startedAt === undefined ? 0 : Math.max(0, (now - Date.parse(stage.startedAt)) / 1000);
  const busy = phase === 'Provisioning';
  return {
    request: request.metadata.name,
    phase,
    stage: name,
    since: busy ? `${Math.floor(seconds)}s` : '',
    waits: busy ? (stage?.waitingFor ?? '') : '',
  };
}
