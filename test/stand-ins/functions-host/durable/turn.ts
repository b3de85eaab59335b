/** What the app's functions do for the hub: one execution of an activity, one turn of an orchestrator. Nothing is stored. */
import { errorText } from '../../../../shared/base/error-text.ts';
import type { FunctionApp } from '../core.ts';
import { call, invoke } from '../invoke.ts';
import {
  eventTypes,
  type HistoryEvent,
  type NewEvent,
  type OrchestratorState,
  stateInError,
  timerLimits,
} from './protocol.ts';
import { type Replayed, replay, type Scheduled } from './replay.ts';
import type { Instance, Message } from './store.ts';

/** What comes of it, as the event that the orchestration gets. */
export async function runActivity(app: FunctionApp, name: string, input: string, taskId: number): Promise<NewEvent> {
  try {
    const { returned } = await invoke(app, name, { string: input });
    const result = returned
      ? (returned.json ?? JSON.stringify(returned.string ?? returned.int ?? returned.double))
      : 'null';
    return { EventType: eventTypes.taskCompleted, TaskScheduledId: taskId, Result: result };
  } catch (error) {
    const message = errorText(error);
    const Reason = `Activity function '${name}' failed: ${message}`;
    return { EventType: eventTypes.taskFailed, TaskScheduledId: taskId, Reason, Details: message };
  }
}

/** What an orchestration has not seen yet; undefined while its very start is missing. */
export function newEvents(
  past: readonly HistoryEvent[],
  messages: readonly Message[],
  now: number,
): HistoryEvent[] | undefined {
  const Timestamp = new Date(now).toISOString();
  const stamp = (event: NewEvent): HistoryEvent => ({ EventId: -1, Timestamp, ...event });
  const events = messages.flatMap((message) => (message.kind === 'orchestration' ? [stamp(message.event)] : []));
  const isStart = (event: HistoryEvent) => event.EventType === eventTypes.executionStarted;
  if (past.length === 0 && !events.some(isStart)) return undefined;
  // The start comes first, whatever overtook it.
  events.sort((a, b) => Number(isStart(b)) - Number(isStart(a)));
  return [stamp({ EventType: eventTypes.orchestratorStarted }), ...events];
}

/** In characters: 16 KB of UTF-16, because it must fit into one property of a table. */
const longestCustomStatus = 8192;

/** Lets the orchestrator say what it does next, and finds out what of it is new. */
export async function askOrchestrator(
  app: FunctionApp,
  instance: Instance,
  past: readonly HistoryEvent[],
  news: readonly HistoryEvent[],
): Promise<TurnOutcome> {
  const history = [
    ...past.map((event) => ({ ...event, IsPlayed: true })),
    ...news.map((event) => ({ ...event, IsPlayed: false })),
  ];
  let state: OrchestratorState | undefined;
  try {
    state = (await call(app, instance.name, {
      history,
      input: JSON.parse(instance.input ?? 'null'),
      instanceId: instance.id,
      isReplaying: past.length > 0,
      parentInstanceId: instance.parent,
      upperSchemaVersion: 1,
      upperSchemaVersionNew: 3,
      ...timerLimits,
      defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
    })) as OrchestratorState;
  } catch (error) {
    state = stateInError(error);
    if (!state) return { fresh: [], failed: errorText(error) };
  }
  const custom = state.customStatus === undefined ? {} : { custom: JSON.stringify(state.customStatus) };
  if ((custom.custom?.length ?? 0) > longestCustomStatus) {
    return { fresh: [], failed: 'The UTF-16 size of the JSON-serialized payload must not exceed 16 KB.' };
  }
  try {
    const replayed = replay([...past, ...news], state.actions[0] ?? []);
    return { ...custom, ...settle(instance, replayed, state) };
  } catch (error) {
    return { ...custom, fresh: [], failed: errorText(error) };
  }
}

export interface TurnOutcome {
  fresh: Scheduled[];
  custom?: string;
  /** JSON text. */
  output?: string;
  failed?: string;
  continueAsNew?: { input: unknown };
}

function settle(instance: Instance, replayed: Replayed, state: OrchestratorState): TurnOutcome {
  const { fresh, finished, continueAsNew } = replayed;
  if (continueAsNew) return { fresh, continueAsNew };
  if (finished && state.error) {
    return { fresh, failed: `Orchestrator function '${instance.name}' failed: ${state.error}` };
  }
  if (finished && state.isDone) return { fresh, output: JSON.stringify(state.output ?? null) };
  return { fresh };
}

export function scheduledEvent(one: Scheduled): NewEvent {
  switch (one.kind) {
    case 'activity':
      return { EventType: eventTypes.taskScheduled, Name: one.name, Input: JSON.stringify(one.input ?? null) };
    case 'timer':
      return { EventType: eventTypes.timerCreated, FireAt: new Date(one.fireAt).toISOString() };
    default:
      return {
        EventType: eventTypes.subOrchestrationCreated,
        Name: one.name,
        Input: JSON.stringify(one.input ?? null),
      };
  }
}
