/**
 * The extension's half of a replay. It does what the actions say, one after the other, each awaited, over the events of
 * the history, and finds out three things: what is new and must be scheduled, whether all has been awaited, and whether
 * the code still does what it did (it compares by sequence number, kind and name; changed inputs go unnoticed, and so do
 * they at the real one).
 */
import {
  type Action,
  actionTypes,
  eventTypes,
  type HistoryEvent,
  longTimerPieceMs,
  maximumShortTimerMs,
  type RetryOptions,
} from './protocol.ts';

export type Scheduled =
  | { kind: 'activity'; id: number; name: string; input: unknown }
  | { kind: 'sub-orchestration'; id: number; name: string; input: unknown; instanceId?: string }
  | { kind: 'timer'; id: number; fireAt: number; isCanceled: boolean };

/** What can be scheduled, without its number. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

export interface Replayed {
  /** What no history event has confirmed yet, in the order of the numbers. */
  fresh: Scheduled[];
  /** Every action has been awaited, and no timer is open that nobody cancelled. */
  finished: boolean;
  continueAsNew?: { input: unknown };
}

export class NonDeterministicWorkflow extends Error {
  override readonly name = 'NonDeterministicWorkflow';

  constructor(id: number, was: string, is: string) {
    super(
      `Non-Deterministic workflow detected: a previous execution of this orchestration scheduled ${was} with sequence ID ${id}, but the current replay ${is}. Was a change made to the orchestrator code after this instance had already started running?`,
    );
  }
}

type Ended = 'ok' | 'failed' | 'canceled';

class Awaited {
  ended: Ended | undefined;
  readonly #listeners: ((ended: Ended) => void)[] = [];

  end(ended: Ended): void {
    if (this.ended) return;
    this.ended = ended;
    for (const listener of this.#listeners) listener(ended);
  }

  whenEnded(listener: (ended: Ended) => void): void {
    if (this.ended) listener(this.ended);
    else this.#listeners.push(listener);
  }
}

export function replay(history: readonly HistoryEvent[], actions: readonly Action[]): Replayed {
  return new Replay(actions).over(history);
}

class Replay {
  readonly #actions: readonly Action[];
  readonly #fresh = new Map<number, Scheduled>();
  readonly #open = new Map<number, Awaited>();
  readonly #openTimers = new Set<number>();
  readonly #waiting = new Map<string, Awaited[]>();
  readonly #early = new Map<string, number>();
  #nextId = 0;
  #position = 0;
  #current: Awaited | undefined;
  #now = 0;
  #continueAsNew: { input: unknown } | undefined;

  constructor(actions: readonly Action[]) {
    this.#actions = actions;
  }

  over(history: readonly HistoryEvent[]): Replayed {
    for (const event of history) this.#take(event);
    const awaited = this.#current === undefined && this.#position === this.#actions.length;
    return {
      fresh: [...this.#fresh.values()],
      finished: awaited && this.#openTimers.size === 0,
      ...(this.#continueAsNew ? { continueAsNew: this.#continueAsNew } : {}),
    };
  }

  #take(event: HistoryEvent): void {
    switch (event.EventType) {
      case eventTypes.orchestratorStarted:
        this.#now = Math.max(this.#now, Date.parse(event.Timestamp));
        break;
      case eventTypes.executionStarted:
        this.#advance();
        break;
      case eventTypes.taskScheduled:
        this.#confirm(event.EventId, 'activity', event.Name);
        break;
      case eventTypes.subOrchestrationCreated:
        this.#confirm(event.EventId, 'sub-orchestration', event.Name);
        break;
      case eventTypes.timerCreated:
        this.#confirm(event.EventId, 'timer');
        break;
      case eventTypes.taskCompleted:
      case eventTypes.subOrchestrationCompleted:
        this.#end(event.TaskScheduledId, 'ok');
        break;
      case eventTypes.taskFailed:
      case eventTypes.subOrchestrationFailed:
        this.#end(event.TaskScheduledId, 'failed');
        break;
      case eventTypes.timerFired:
        this.#end(event.TimerId, 'ok');
        break;
      case eventTypes.eventRaised:
        this.#raise(event.Name ?? '');
        break;
    }
  }

  #confirm(id: number, kind: Scheduled['kind'], name?: string): void {
    const was = name === undefined ? `a ${kind}` : `the ${kind} '${name}'`;
    const is = this.#fresh.get(id);
    if (!is) throw new NonDeterministicWorkflow(id, was, 'has not scheduled it');
    const isName = 'name' in is ? is.name : undefined;
    if (is.kind !== kind || isName !== name) {
      throw new NonDeterministicWorkflow(
        id,
        was,
        `scheduled ${isName === undefined ? `a ${is.kind}` : `the ${is.kind} '${isName}'`}`,
      );
    }
    this.#fresh.delete(id);
  }

  #end(id: number | undefined, ended: Ended): void {
    if (id === undefined) return;
    // An event that comes twice, or for something that was cancelled, finds nothing open.
    this.#openTimers.delete(id);
    const awaited = this.#open.get(id);
    this.#open.delete(id);
    awaited?.end(ended);
    this.#advance();
  }

  #raise(name: string): void {
    const key = name.toLowerCase();
    const waiter = this.#waiting.get(key)?.pop();
    if (waiter) waiter.end('ok');
    else this.#early.set(key, (this.#early.get(key) ?? 0) + 1);
    this.#advance();
  }

  #advance(): void {
    for (;;) {
      if (!this.#current) {
        const action = this.#actions[this.#position];
        if (!action) return;
        this.#current = this.#invoke(action);
      }
      if (!this.#current.ended) return;
      this.#current = undefined;
      this.#position++;
    }
  }

  #invoke(action: Action): Awaited {
    const { functionName: name = '', input } = action;
    switch (action.actionType) {
      case actionTypes.callActivity:
        return this.#schedule({ kind: 'activity', name, input });
      case actionTypes.callActivityWithRetry:
        return this.#withRetry(action, () => this.#schedule({ kind: 'activity', name, input }));
      case actionTypes.callSubOrchestrator:
        return this.#schedule(subOrchestration(action));
      case actionTypes.callSubOrchestratorWithRetry:
        return this.#withRetry(action, () => this.#schedule(subOrchestration(action)));
      case actionTypes.continueAsNew:
        this.#continueAsNew = { input };
        return ended('ok');
      case actionTypes.createTimer:
        return this.#timer(action);
      case actionTypes.waitForExternalEvent:
        return this.#wait((action.externalEventName ?? '').toLowerCase());
      case actionTypes.whenAny:
        return any(this.#invokeAll(action));
      case actionTypes.whenAll:
        return all(this.#invokeAll(action));
      default:
        throw new Error(`this host does not know actions of type ${action.actionType}`);
    }
  }

  #invokeAll(action: Action): Awaited[] {
    return (action.compoundActions ?? []).map((one) => this.#invoke(one));
  }

  #schedule(what: Unnumbered<Scheduled>): Awaited {
    const id = this.#nextId++;
    const awaited = new Awaited();
    this.#fresh.set(id, { ...what, id });
    this.#open.set(id, awaited);
    if (what.kind === 'timer') {
      if (what.isCanceled) {
        this.#open.delete(id);
        awaited.end('canceled');
      } else this.#openTimers.add(id);
    }
    return awaited;
  }

  #timer(action: Action): Awaited {
    const last = Date.parse(action.fireAt ?? '');
    const isCanceled = action.isCanceled ?? false;
    // Only a long one is looked at again when it fires too early: a short one is over then.
    if (last - this.#now <= maximumShortTimerMs) return this.#schedule({ kind: 'timer', fireAt: last, isCanceled });
    const whole = new Awaited();
    const piece = (): void => {
      const fireAt = last - this.#now > maximumShortTimerMs ? this.#now + longTimerPieceMs : last;
      this.#schedule({ kind: 'timer', fireAt, isCanceled }).whenEnded((how) => {
        if (how === 'ok' && this.#now < last) piece();
        else whole.end(how);
      });
    };
    piece();
    return whole;
  }

  #wait(name: string): Awaited {
    const awaited = new Awaited();
    const early = this.#early.get(name) ?? 0;
    if (early > 0) {
      this.#early.set(name, early - 1);
      awaited.end('ok');
    } else this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), awaited]);
    return awaited;
  }

  /** A timer comes after every failure; the last one fires at once (an old mistake that histories hold on to). */
  #withRetry(action: Action, schedule: () => Awaited): Awaited {
    const options = action.retryOptions;
    if (!options) throw new Error(`${action.functionName}: a call with retries needs retry options`);
    const whole = new Awaited();
    const attempt = (number: number): void =>
      schedule().whenEnded((how) => {
        if (how === 'ok') return whole.end('ok');
        const isLast = number >= options.maxNumberOfAttempts;
        const fireAt = this.#now + (isLast ? 0 : retryPause(options, number));
        this.#schedule({ kind: 'timer', fireAt, isCanceled: false }).whenEnded(() => {
          if (isLast) whole.end('failed');
          else attempt(number + 1);
        });
      });
    attempt(1);
    return whole;
  }
}

function retryPause(options: RetryOptions, attempt: number): number {
  const pause = options.firstRetryIntervalInMilliseconds * (options.backoffCoefficient ?? 1) ** (attempt - 1);
  return Math.min(pause, options.maxRetryIntervalInMilliseconds ?? Number.POSITIVE_INFINITY);
}

function subOrchestration({ functionName: name = '', input, instanceId }: Action): Unnumbered<Scheduled> {
  return { kind: 'sub-orchestration', name, input, ...(instanceId ? { instanceId } : {}) };
}

function ended(how: Ended): Awaited {
  const awaited = new Awaited();
  awaited.end(how);
  return awaited;
}

function any(parts: readonly Awaited[]): Awaited {
  const whole = new Awaited();
  for (const part of parts) part.whenEnded(() => whole.end('ok'));
  return whole;
}

function all(parts: readonly Awaited[]): Awaited {
  const whole = new Awaited();
  let left = parts.length;
  if (left === 0) whole.end('ok');
  for (const part of parts) part.whenEnded(() => --left === 0 && whole.end('ok'));
  return whole;
}
