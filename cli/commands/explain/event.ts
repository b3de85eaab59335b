/**
 * `explain event/ID`: what became of an event. The id is that of a dead letter, of a CloudEvent, or the name of a Kubernetes Event. Events
 * leave no trace of their own once they were used, so where nothing has it that is said, and what it means.
 */
import type { CoreV1Event } from '@kubernetes/client-node';
import { defined } from '../../../shared/base/defined.ts';
import { causeIn } from '../../../shared/explain/began.ts';
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
  const story = (await asLetter(host, id)) ?? (await asKubernetesEvent(sources, id)) ?? (await asCause(host, id));
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

/** So many are fetched from a host that is older than the command, and does not look itself. */
const mostLetters = 2000;

async function lettersOf(host: HostApi, event: string): Promise<HostLetter[]> {
  try {
    return (await host.ask<{ items: HostLetter[] }>('GET', '/v1/dead-letters', { query: { event } })).items;
  } catch (error) {
    if (!(error instanceof HostProblem) || error.kind !== 'invalid-request') throw error;
    return allPages<HostLetter>(host, '/v1/dead-letters', {}, mostLetters);
  }
}

async function asLetter(host: HostApi | undefined, id: string): Promise<EventStory | undefined> {
  if (!host) return undefined;
  const letters = await lettersOf(host, id);
  const letter = letters.find((one) => one.id === id || eventIdIn(one.body) === id);
  if (!letter) return undefined;
  const claim = claimIn(letter.body);
  return {
    what: `event/${id}`,
    state: `a dead letter since ${letter.deadAt}`,
    code: 'DeadLettered',
    cause: letter.reason,
    cure: `fix the sender, then: poolwright deadletters replay ${letter.id}; meanwhile the resync finds its claim automatically`,
    ...defined({ claim }),
  };
}

function eventIn(body: string): { id?: unknown; data?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const eventIdIn = (body: string): unknown => eventIn(body).id;

function claimIn(body: string): string | undefined {
  const { data } = eventIn(body);
  if (typeof data !== 'object' || data === null || !('name' in data)) return undefined;
  return typeof data.name === 'string' ? data.name : undefined;
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
    cure: entry?.cure ?? (known?.todo || 'nothing'),
    ...(involvedObject.kind === 'NodeClaim' && involvedObject.name ? { claim: involvedObject.name } : {}),
  };
}

/** So many of the newest workflows are asked what they were started for. */
const mostAsked = 100;
const mostListed = 5000;

async function asCause(host: HostApi | undefined, id: string): Promise<EventStory | undefined> {
  if (!host) return undefined;
  const listed = await allPages<{ id: string }>(host, '/v1/workflows', {}, mostListed).catch(() => []);
  for (const one of listed.slice(-mostAsked).reverse()) {
    const shown = await host
      .ask<{ status: string; workflow: string; input?: { name?: string; cause?: unknown } }>(
        'GET',
        `/v1/workflows/${one.id}`,
      )
      .catch(() => undefined);
    const cause = causeIn(shown?.input?.cause);
    if (!shown || cause?.event !== id) continue;
    const { name } = shown.input ?? {};
    return {
      what: `event/${id}`,
      state: `processed at ${new Date(cause.at).toISOString()}`,
      cause: `noticed by ${cause.observedBy}, it started ${shown.workflow} of claim ${name}, which is ${shown.status}`,
      cure: 'nothing',
      ...defined({ claim: name }),
    };
  }
  return undefined;
}

const unknown = (id: string, { host, missing }: Sources): UserError =>
  host === undefined
    ? new UserError([`The cluster has no Event ${id}; the host may know more.`, ...missing].join('\n'), {
        code: 'HostUnreachable',
      })
    : new UserError(
        `No dead letter, no Event of the cluster and none of the last ${mostAsked} workflows has the id ${id}.`,
        { code: 'UnknownEvent' },
      );
