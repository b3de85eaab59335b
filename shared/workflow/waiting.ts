/** What a workflow waits for, from the signature of the command that is open. */
import { defined } from '../base/defined.ts';
import type { WorkflowInfo } from './contract.ts';

export type Waiting = {
  /** `call`, `poll`, `sleep`, `wait-signal` or `all`: the kinds of commands. */
  command: string;
  /** The activity, the signal, or the list of commands that run together. */
  name?: string;
  /** When it goes on by itself, in milliseconds, where the engine knows. */
  until?: number;
};

/** Takes apart what `signature` has put together. */
export function parseSignature(signature: string): Pick<Waiting, 'command' | 'name'> {
  const space = signature.indexOf(' ');
  return space < 0 ? { command: signature } : { command: signature.slice(0, space), name: signature.slice(space + 1) };
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
