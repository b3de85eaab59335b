/** What a workflow waits for, from the signature of the command that is open. */
import { defined } from '../base/defined.ts';
import type { WorkflowInfo } from './contract.ts';

export type Waiting = {
  /** `call`, `poll`, `sleep`, `wait-signal` or `all`: the kinds of commands. */
  command: string;
  /** The activity, or the signal. */
  name?: string;
  /** When it goes on by itself, in milliseconds, where the engine knows. */
  until?: number;
};

/** Takes apart what `signature` has put together; several commands at once have no one name. */
export function parseSignature(signature: string): Pick<Waiting, 'command' | 'name'> {
  const [command = '', name] = signature.split(' ');
  return command === 'all' || name === undefined ? { command } : { command, name };
}

/** @param signature Of the open command; undefined before the first, or where the engine can't tell. */
export function waitingIn(
  signature: string | undefined,
  until?: number,
  otherwise = 'its first step',
): Pick<WorkflowInfo, 'waitingFor' | 'waiting'> {
  const due = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  return {
    waitingFor: `${signature ?? otherwise}${due}`,
    ...(signature === undefined ? {} : { waiting: { ...parseSignature(signature), ...defined({ until }) } }),
  };
}
