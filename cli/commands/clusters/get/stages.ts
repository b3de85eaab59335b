/** One request as text: its stages with their durations, and what it waits for. Pure. */
import { formatSeconds } from '../../../../shared/base/durations.ts';
import { summaryOf } from '../../../../shared/clusters/operations/summary.ts';
import type { StageStatus } from '../../../../shared/clusters/request/status.ts';
import { hanging, printable } from '../../../terminal/text-table.ts';
import type { ReadRequest } from '../requests/requests.ts';
import { stateOf } from './rows.ts';

/** Exact to a second: what takes minutes is not rounded away. */
const took = (seconds: number): string => formatSeconds(Math.max(0, Math.round(seconds)));

function durationOf({ startedAt, finishedAt, seconds, state }: StageStatus, now: number): string {
  if (seconds !== undefined) return took(seconds);
  const began = Date.parse(startedAt ?? '');
  if (Number.isNaN(began) || state === 'Pending' || state === 'Skipped') return '-';
  const ended = Date.parse(finishedAt ?? '');
  return took(((Number.isNaN(ended) ? now : ended) - began) / 1000);
}

/** What a stage says beside its state. */
export function noteOf({ state, waitingFor, code, message }: StageStatus): string {
  if (state === 'Succeeded') return '';
  const words = waitingFor === undefined ? (message ?? '') : `waits for ${waitingFor}`;
  const more = waitingFor !== undefined && message !== undefined ? ` (${message})` : '';
  return code === undefined ? words + more : `${code}: ${words}${more}`;
}

/** The first line of everything that is said of a request. */
export function headline({ cluster, request }: ReadRequest): string {
  const summary = summaryOf(cluster, request);
  const { namespace, name, location, kubernetesVersion, stage } = summary;
  const what = [location, kubernetesVersion && `Kubernetes ${kubernetesVersion}`].filter(Boolean).join(', ');
  const at = stage === undefined ? '' : ` at ${stage}`;
  return printable(`${namespace}/${name}  ${stateOf(summary)}${at}${what === '' ? '' : `  (${what})`}`);
}

export function requestLines(read: ReadRequest, now: number, columns: number | undefined): string[] {
  const { status } = read.request;
  const stages = status?.stages ?? [];
  const summary = summaryOf(read.cluster, read.request);
  const rows = stages.map((stage) => [stage.name, stage.state, durationOf(stage, now), noteOf(stage)] as const);
  const widthOf = (column: 0 | 1 | 2): number => Math.max(0, ...rows.map((row) => row[column].length));
  const widths = [widthOf(0), widthOf(1), widthOf(2)] as const;
  const lines = rows.map(([name, state, time, note]) => {
    const head = `  ${name.padEnd(widths[0])}  ${state.padEnd(widths[1])}  ${time.padStart(widths[2])}  `;
    return hanging(`${head}${printable(note)}`.trimEnd(), head.length, columns);
  });
  const said: string[] = [];
  if ((stages.length === 0 || summary.deleting) && summary.message !== undefined)
    said.push(...spread('  ', summary.message, columns));
  if (summary.fqdn !== undefined) said.push(`  API server: ${printable(summary.fqdn)}`);
  if (status?.cluster?.registeredAs !== undefined) said.push(`  Served as: ${printable(status.cluster.registeredAs)}`);
  if (summary.expiresAt !== undefined) said.push(`  Lives until: ${summary.expiresAt}`);
  if (summary.guarded) said.push('  Delete guard: on');
  for (const warning of status?.warnings ?? []) said.push(...spread('  Warning: ', warning, columns));
  return [...hanging(headline(read), 2, columns), ...lines.flat(), ...said];
}

const spread = (head: string, text: string, columns: number | undefined): string[] =>
  hanging(`${head}${printable(text)}`, head.length, columns);
