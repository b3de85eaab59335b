/** What a workflow waits for, in words: the engine names commands, people want to know who is to move next. */
import type { Waiting } from '../workflow/waiting.ts';

/** The one poll that does not ask a provider. */
const ownPolls: { [name: string]: string } = { launchStopped: 'its launch to stop' };

/** @param waitingFor What the engine itself calls it. */
export function waitWords({ command, name = '', until }: Waiting, waitingFor: string): string {
  const at = until === undefined ? undefined : new Date(until).toISOString().slice(11, 19);
  switch (command) {
    case 'sleep':
      return `pausing${at === undefined ? '' : ` until ${at}`}`;
    case 'wait-signal':
      return `waiting; it checks again ${at === undefined ? '' : `at ${at}, or `}as soon as its claim or node changes`;
    case 'poll':
      return `waiting for ${ownPolls[name] ?? `the provider (${name})`}${at === undefined ? '' : `; it checks again at ${at}`}`;
    case 'call':
      return at === undefined ? `running ${name}` : `retrying ${name} at ${at}`;
    default:
      return `at ${waitingFor}`;
  }
}
