/**
 * `explain event/ID`: what became of an event. The id is that of a dead letter, of a CloudEvent, or the name of a Kubernetes Event. Events
 * leave no trace of their own once they were used, so where nothing has it that is said, and what it means.
 */
import type { CoreV1Event } from '@kubernetes/client-node';
import { defined } from '../../../shared/base/defined.ts';
import { isObject } from '../../../shared/base/json.ts';
import { watcherName } from '../../../shared/explain/began.ts';
import { mostWorkflows } from '../../../shared/explain/event-outcome.ts';
import { events } from '../../../shared/kube/contract.ts';
import type { LooselyStored } from '../../../shared/kube/stored.ts';
import { eventCatalog } from '../../../shared/nodes/steps/report/event-catalog.ts';
import { findError } from '../../../shared/observe/errors/catalog.ts';
import { allPages, type HostApi, HostProblem } from '../../reach/host-api.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';

import { explainClaim } from './claim.ts';
import type { Sources, Where } from './gather.ts';
import type { HostLetter } from './host-view.ts';
import { claimHead, headLines } from './render-claim.ts';

interface EventStory {
  what: string;
  state: string;
  cause: string;
  cure: string;
  code?: string;
  /** The claim that it is about, where it still says more. */
  claim?: string;
}

export async function explainEvent(
  sources: Sources,
  options: Where & { output: DocumentFormat },
  id: string,
  terminal: Terminal,
): Promise<number> {
  const { host, cluster, missing } = sources;
  if (!host && !cluster) throw new UserError(missing.join('\n'), { code: 'HostUnreachable' });
  const story = (await asKubernetesEvent(sources, id)) ?? (await asHostKnows(host, id));
  if (story === undefined) throw unknown(id, sources);
  const { what, claim, ...diagnosis } = story;
  const text = (): string => `${headLines(what, diagnosis, terminal.columns()).join('\n')}\n`;
  await printDocument({ ...story, missing }, text, options.output, terminal);
  if (options.output !== 'text') return exitCodes.done;
  for (const text of missing) terminal.err(`${printable(text)}\n`);
  if (claim === undefined) return exitCodes.done;
  const explained = await explainClaim(sources, options, claim).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    return undefined;
  });
  const more = explained
    ? claimHead(explained.what, explained.answer, terminal.columns())
    : [`claim/${claim} is gone.`];
  terminal.out(`\n${more.map(printable).join('\n')}\n`);
  return exitCodes.done;
}

type HostOutcome = { claim?: string } & (
  | { outcome: 'dead-letter'; letter: HostLetter }
  | { outcome: 'processed'; at: string; observedBy: string; workflow: { workflow: string; status: string } }
);

async function asHostKnows(host: HostApi | undefined, id: string): Promise<EventStory | undefined> {
  const found = host && (await outcomeFrom(host, id));
  if (!found) return undefined;
  const what = `event/${id}`;
  const about = defined({ claim: found.claim });
  if (found.outcome === 'dead-letter') {
    const { deadAt, reason, id: letterId } = found.letter;
    const cure = `fix the sender, then: poolwright deadletters replay ${letterId}; meanwhile the resync finds its claim automatically`;
    return { what, state: `a dead letter since ${deadAt}`, code: 'DeadLettered', cause: reason, cure, ...about };
  }
  const { at, observedBy, workflow, claim } = found;
  const cause = `${watcherName(observedBy)} noticed it; it started the ${workflow.workflow} of claim ${claim}, which is ${workflow.status}`;
  return { what, state: `processed at ${at}`, cause, cure: 'none needed', ...about };
}

async function outcomeFrom(host: HostApi, id: string): Promise<HostOutcome | undefined> {
  try {
    return await host.ask<HostOutcome>('GET', `/v1/events/${encodeURIComponent(id)}/explain`);
  } catch (error) {
    if (!(error instanceof HostProblem)) throw error;
    if (error.kind === 'unknown-event') return undefined;
    if (error.kind === 'unknown-path') return letterOfOlderHost(host, id);
    throw error;
  }
}

/** So many are fetched from a host that is older than the command, and does not search by itself. */
const mostLetters = 2000;

async function letterOfOlderHost(host: HostApi, id: string): Promise<HostOutcome | undefined> {
  const letters = await allPages<HostLetter>(host, '/v1/dead-letters', {}, mostLetters);
  const letter = letters.find((one) => one.id === id || eventIn(one.body).id === id);
  return letter && { outcome: 'dead-letter', letter, ...defined({ claim: claimIn(letter.body) }) };
}

function eventIn(body: string): { id?: unknown; data?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function claimIn(body: string): string | undefined {
  const { data } = eventIn(body);
  return isObject(data) && typeof data.name === 'string' ? data.name : undefined;
}

type StoredEvent = LooselyStored<CoreV1Event>;

async function asKubernetesEvent({ cluster }: Sources, name: string): Promise<EventStory | undefined> {
  const listed = await cluster?.list<StoredEvent>(events, { fieldSelector: `metadata.name=${name}`, limit: 1 });
  const event = listed?.ok ? listed.value.items[0] : undefined;
  if (!event) return undefined;
  const { reason = '', message = '', type = '', count = 1, involvedObject = {} } = event;
  const about = `${involvedObject.kind} ${involvedObject.name}`;
  const entry = findError(reason);
  const known = eventCatalog[reason];
  return {
    what: `event/${name}`,
    state: `${type} about ${about}, reported ${count === 1 ? 'once' : `${count} times`}`,
    ...(entry ? { code: reason } : {}),
    cause: `${entry ? '' : `${reason}: `}${message}`,
    cure: entry?.cure ?? (known?.todo || 'none needed'),
    ...(involvedObject.kind === 'NodeClaim' && involvedObject.name ? { claim: involvedObject.name } : {}),
  };
}

const unknown = (id: string, { host, missing }: Sources): UserError =>
  host === undefined
    ? new UserError([`The cluster has no Event ${id}; the host may know more.`, ...missing].join('\n'), {
        code: 'HostUnreachable',
      })
    : new UserError(
        `No dead letter, no Event of the cluster and none of the last ${mostWorkflows} workflows has the id ${id}.`,
        { code: 'UnknownEvent' },
      );
