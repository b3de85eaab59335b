/** What became of an event: it is a dead letter, or a workflow was started for it. Events leave no record of their own once they are used. */
import { defined } from '../base/defined.ts';
import { isObject } from '../base/json.ts';
import type { DeadLetter } from '../queue/contract.ts';
import type { WorkflowInfo } from '../workflow/contract.ts';
import { type Began, causeIn } from './began.ts';

/** The newest ones are asked what they were started for. */
export const mostWorkflows = 100;
const mostListed = 5000;
const lettersPerPage = 1000;
const workflowsPerPage = 100;

type Pages<T> = (page: { after?: string; limit: number }) => Promise<{ items: T[]; next?: string }>;

export interface EventSources {
  deadLetters: Pages<DeadLetter>;
  /** Absent where the engine cannot list. */
  workflows?: {
    list(page: Parameters<Pages<WorkflowInfo>>[0]): ReturnType<Pages<WorkflowInfo>>;
    inspect(id: string): Promise<{ input: unknown } | undefined>;
  };
}

export type EventOutcome =
  | { outcome: 'dead-letter'; letter: DeadLetter; claim?: string }
  | { outcome: 'processed'; cause: Omit<Began, 'workflow'>; workflow: WorkflowInfo; claim?: string };

/** @param id Of the dead letter, or of the event that it holds or that started a workflow. */
export async function eventOutcome(
  { deadLetters, workflows }: EventSources,
  id: string,
  signal?: AbortSignal,
): Promise<EventOutcome | undefined> {
  const {
    letters: [letter],
  } = await lettersWith(deadLetters, id, { most: 1, ...defined({ signal }) });
  if (letter) return { outcome: 'dead-letter', letter, ...defined({ claim: nameIn(eventIn(letter.body).data) }) };
  if (!workflows || signal?.aborted) return undefined;
  for (const workflow of (await newest((page) => workflows.list(page))).reverse()) {
    const { input } = (await workflows.inspect(workflow.id)) ?? {};
    const cause = isObject(input) ? causeIn(input.cause) : undefined;
    if (cause?.event === id) return { outcome: 'processed', cause, workflow, ...defined({ claim: nameIn(input) }) };
  }
  return undefined;
}

export interface LetterSearch {
  /** So many are enough. */
  most?: number;
  /** So many are looked through; without it, all. */
  within?: number;
  signal?: AbortSignal;
}

/**
 * The letter with this id, or those whose event has it. Brokers know dead letters by their place, so they are read one after another.
 * `cut`: the search ended before the letters did, so there may be more.
 */
export async function lettersWith(
  pages: Pages<DeadLetter>,
  event: string,
  { most = Number.POSITIVE_INFINITY, within = Number.POSITIVE_INFINITY, signal }: LetterSearch = {},
): Promise<{ letters: DeadLetter[]; cut: boolean }> {
  const letters: DeadLetter[] = [];
  let seen = 0;
  for await (const letter of each(pages, lettersPerPage)) {
    if (signal?.aborted || seen === within || letters.length === most) return { letters, cut: true };
    seen++;
    if (letter.id === event || eventIn(letter.body).id === event) letters.push(letter);
  }
  return { letters, cut: false };
}

async function newest(list: Pages<WorkflowInfo>): Promise<WorkflowInfo[]> {
  const listed: WorkflowInfo[] = [];
  for await (const info of each(list, workflowsPerPage)) {
    listed.push(info);
    if (listed.length >= mostListed) break;
  }
  return listed.slice(-mostWorkflows);
}

async function* each<T>(pages: Pages<T>, limit: number): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const { items, next } = await pages({ limit, ...defined({ after }) });
    yield* items;
    after = next;
  } while (after !== undefined);
}

/** Also of a letter that is not a usable event. */
function eventIn(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const nameIn = (data: unknown): string | undefined =>
  isObject(data) && typeof data.name === 'string' ? data.name : undefined;
