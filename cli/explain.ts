/** `poolwright explain`: why something happened to a claim, or why nothing does. */
import type { ClusterStanding } from './clusters.ts';
import { allPages, type HostAddress, HostProblem, withHostApi } from './host-api.ts';
import type { Output } from './main.ts';
import { printable, wrapped } from './text-table.ts';
import { UserError } from './user-error.ts';

export interface ExplainOptions extends HostAddress {
  /** Needed only where the host serves several. */
  cluster?: string;
  uid?: string;
  details?: boolean;
  json?: boolean;
}

export interface Explained {
  cluster: string;
  name: string;
  uid: string;
  decisions: { at: string; step: string; text: string; detail?: unknown }[];
  /** What runs for the claim at this moment. */
  running: { id: string; workflow: string; startedAt: string; waitingFor?: string }[];
  /** What would run for it, but was set aside because the host kept dying there. */
  setAside?: { id: string; workflow: string; error?: string }[];
  /** False: no provider here serves its node class. */
  ours?: boolean;
  /** Why this deployment only reads the cluster; absent while it acts. */
  readOnly?: string;
  /** Pauses that may hold the claim. */
  pauses: { kind: string; name: string; setBy: string; cluster?: string; why?: string }[];
}

/** So many running workflows are looked through for those of the claim. */
const mostRunning = 50_000;

export async function explain(claim: string, options: ExplainOptions, output: Output): Promise<number> {
  const { uid } = options;
  const explained = await withHostApi(options, async (api): Promise<Explained> => {
    const clusters = await api.ask<{ items: ClusterStanding[] }>('GET', '/v1/clusters');
    const cluster = options.cluster ?? theOnly(clusters.items);
    const path = `/v1/claims/${encodeURIComponent(cluster)}/${encodeURIComponent(claim)}/decisions`;
    const told = await api
      .ask<Omit<Explained, 'running' | 'setAside' | 'pauses'>>('GET', path, uid ? { query: { uid } } : {})
      .catch((error: unknown) => {
        if (!(error instanceof HostProblem) || error.kind !== 'unknown-claim') throw error;
        throw new UserError(
          `Cluster ${cluster} has no NodeClaim ${claim}. If it is gone, ask with its uid: --uid <uid>; the log has it.`,
        );
      });
    const isItsOwn = ({ id }: { id: string }): boolean => id.startsWith(`${cluster}/${told.uid}/`);
    const workflows = async <T extends { id: string }>(status: string): Promise<T[]> =>
      (await allPages<T>(api, '/v1/workflows', { status }, mostRunning)).filter(isItsOwn);
    const running = await workflows<Explained['running'][number]>('running');
    const setAside = await workflows<NonNullable<Explained['setAside']>[number]>('set-aside');
    const pauses = await api.ask<{ items: Explained['pauses'] }>('GET', '/v1/pauses');
    const readOnly = clusters.items.find((one) => one.name === cluster && !one.acts)?.why;
    return {
      ...told,
      ...(readOnly === undefined ? {} : { readOnly }),
      running,
      setAside,
      pauses: pauses.items.filter((one) => (one.kind === 'cluster' ? one.name : (one.cluster ?? cluster)) === cluster),
    };
  });
  const width = Math.max(60, process.stdout.columns ?? 120);
  output.out(
    options.json ? `${JSON.stringify(explained, null, 2)}\n` : told(explained, options.details ?? false, width),
  );
  return 0;
}

function theOnly(clusters: readonly ClusterStanding[]): string {
  const [first, ...others] = clusters;
  if (first !== undefined && others.length === 0) return first.name;
  throw new UserError(
    `Say which cluster it is in: --cluster ${clusters.map(({ name }) => name).join(' or --cluster ')}`,
  );
}

export function told(explained: Explained, all: boolean, width: number): string {
  const { cluster, name, uid, decisions } = explained;
  const lines = [`${name} in cluster ${cluster} (uid ${uid})`, ''];
  const steps = Math.max(6, ...decisions.map(({ step }) => step.length));
  let day = '';
  for (const { at, step, text, detail } of all ? decisions : condensed(decisions)) {
    // Times are UTC, as in the log and in the cluster.
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10);
      lines.push(`  ${day} (UTC)`);
    }
    const head = `  ${at.slice(11, 19)}  ${step.padEnd(steps)}  `;
    const indent = ' '.repeat(head.length);
    const [first = '', ...rest] = wrapped(printable(text), width - head.length);
    lines.push(head + first, ...rest.map((line) => indent + line));
    for (const line of detailLines(detail, all)) {
      const [start = '', ...more] = wrapped(printable(line), width - head.length - 2);
      lines.push(indent + start, ...more.map((text) => `${indent}  ${text}`));
    }
  }
  if (explained.ours === false)
    lines.push(
      '  No provider here serves it, by its node class (spec.nodeClassRef), labels and annotations: it is left alone.',
    );
  else if (decisions.length === 0) lines.push('  Nothing was decided about it, or that was too long ago.');
  lines.push('', ...now(explained));
  return `${lines.join('\n')}\n`;
}

/** choose, create, close, fail. Longer rounds than these are no mere repetition. */
const longestRound = 4;

/** A claim that can't be had is tried again and again: of rounds that differ in times and numbers only, the last is shown. */
function condensed(decisions: Explained['decisions']): Explained['decisions'] {
  const keys = decisions.map(({ step, text, detail }) =>
    JSON.stringify([step, text.replace(anyTime, '').replace(anyAttempt, ''), detail]),
  );
  const shown: Explained['decisions'] = [];
  for (let at = 0; at < decisions.length; ) {
    const { length, times } = roundAt(keys, at);
    const last = decisions.slice(at + length * (times - 1), at + length * times);
    const [first] = decisions.slice(at, at + 1);
    for (const [index, one] of last.entries()) {
      const before = index > 0 ? last[index - 1] : decisions[at - 1];
      const text = echoes.has(one.step) ? withoutRepeated(before?.text, one.text) : one.text;
      const note = times > 1 && index === 0 ? ` (${times} times since ${first?.at.slice(11, 19)}; --details)` : '';
      shown.push({ ...one, text: text + note });
    }
    at += length * times;
  }
  return shown;
}

/** They say why once more, and when it goes on. */
const echoes: ReadonlySet<string> = new Set(['close', 'fail']);

/** Either text may have been cut at its end. */
function withoutRepeated(before: string | undefined, text: string): string {
  if (before === undefined) return text;
  if (text.startsWith(before)) return `as above${text.slice(before.length)}`;
  const [, head = '', why = ''] = /^(attempt \d+ is over: )?(.*)$/s.exec(text) ?? [];
  const from = before.indexOf(why.slice(0, 60));
  if (from <= 0 || why.length < 60) return text;
  const [known, again] = [before.slice(from), why].map((one) => one.replace(/…$/, ''));
  const isSame = known !== undefined && again !== undefined && (known.startsWith(again) || again.startsWith(known));
  return isSame ? `${head}as above` : text;
}

const anyAttempt = /\battempt \d+\b/g;
const anyTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** The round that begins here, and how often it comes in a row. */
function roundAt(keys: readonly string[], start: number): { length: number; times: number } {
  for (let length = 1; length <= longestRound; length++) {
    const isSame = (index: number): boolean => keys[index] !== undefined && keys[index] === keys[index - length];
    let end = start + length;
    while (isSame(end)) end++;
    const times = Math.floor((end - start) / length);
    if (times > 1) return { length, times };
  }
  return { length: 1, times: 1 };
}

/** The alternatives: a few of them, unless somebody wants all. */
function detailLines(detail: unknown, all: boolean): string[] {
  if (typeof detail !== 'object' || detail === null) return [];
  const { candidates, rejections } = detail as { candidates?: unknown; rejections?: unknown };
  return [
    // The first candidate is the one that was chosen.
    ...listed('then', textsIn(candidates).slice(1), all ? Number.POSITIVE_INFINITY : 2),
    ...listed('not', textsIn(rejections), all ? Number.POSITIVE_INFINITY : 2),
  ];
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function listed(word: string, texts: readonly string[], most: number): string[] {
  if (texts.length === 0) return [];
  const more = texts.length > most ? [`${word.padEnd(4)} … and ${texts.length - most} more (--details)`] : [];
  return [...texts.slice(0, most).map((text) => `${word.padEnd(4)} ${text}`), ...more];
}

function now({ decisions, running, setAside = [], pauses, readOnly }: Explained): string[] {
  const paused = pauses.map(
    ({ kind, name, setBy, why }) =>
      `Paused: ${kind} ${printable(name)}${setBy === 'configuration' ? ' by the configuration' : ''}${why ? `: ${printable(why)}` : ''}.`,
  );
  const held = [...(readOnly === undefined ? [] : [`Only read here: ${printable(readOnly)}.`]), ...paused];
  if (running.length === 0) {
    const aside = setAside.at(-1);
    if (aside) {
      return [
        ...held,
        `Now: ${aside.workflow} is set aside${aside.error ? `: ${printable(aside.error)}` : ''}.`,
        `It is tried again by itself after a while, or now by POST /v1/workflows/${aside.id}/retry.`,
      ];
    }
    const isReady = decisions.at(-1)?.step === 'ready';
    return [...held, isReady ? 'Now: it is ready, and nothing is to be done.' : 'Now: nothing runs for it.'];
  }
  const waits = running.map(
    ({ workflow, startedAt, waitingFor }) =>
      `Now: ${workflow} runs since ${startedAt.slice(11, 19)}${waitingFor ? `, ${inWords(printable(waitingFor))}` : ''}.`,
  );
  return [...held, ...waits];
}

/** The one poll that does not ask a provider. */
const ownPolls: { [name: string]: string } = { launchStopped: 'its launch to stop' };

/** The engine names commands; people want to know who is to move next. */
function inWords(waitingFor: string): string {
  const [, command = waitingFor, until] = /^(.*?)(?: until (\S+))?$/.exec(waitingFor) ?? [];
  const at = until?.slice(11, 19);
  const [kind, what = ''] = command.split(' ');
  switch (kind) {
    case 'sleep':
      return `pausing${at === undefined ? '' : ` until ${at}`}`;
    case 'wait-signal':
      return `waiting; it looks again ${at === undefined ? '' : `at ${at}, and `}at once when its claim or node changes`;
    case 'poll':
      return `waiting for ${ownPolls[what] ?? `the provider (${what})`}${at === undefined ? '' : `; it asks again at ${at}`}`;
    case 'call':
      return at === undefined ? `busy with ${what}` : `trying ${what} again at ${at}`;
    default:
      return `at ${waitingFor}`;
  }
}
