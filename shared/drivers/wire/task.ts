import { defined } from '../../base/defined.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { TaskState } from '../contract.ts';
import type { TaskStatusResponse } from '../protocol/messages.ts';
import { unlessEmpty } from './listed-machine.ts';

/** The protocol has no word for a task that is not known; VirtRigaud's mock answers with this error, and so do we. */
const unknownTask = 'task not found';

/** Answered, not failed: a caller repeats a call that fails. */
export function writeTaskState(state: Result<TaskState>): Result<TaskStatusResponse> {
  if (state.ok) return ok({ done: state.value.done, error: state.value.error ?? '' });
  return state.error.kind === 'not-found' ? ok({ done: true, error: unknownTask }) : state;
}

export function readTaskState({ done, error }: TaskStatusResponse): Result<TaskState> {
  if (error === unknownTask) return failed('not-found', error);
  return ok({ done: done || error !== '', ...defined({ error: unlessEmpty(error) }) });
}
