/** What a workflow waits for, in words: the engine names commands, people want to know who is to move next. */

/** The one poll that does not ask a provider. */
const ownPolls: { [name: string]: string } = { launchStopped: 'its launch to stop' };

export interface Wait {
  words: string;
  until?: number;
}

export function inWords(waitingFor: string): Wait {
  const [, command = waitingFor, until] = /^(.*?)(?: until (\S+))?$/.exec(waitingFor) ?? [];
  const at = until?.slice(11, 19);
  const time = Date.parse(until ?? '');
  const [kind, what = ''] = command.split(' ');
  return { words: words(kind, what, at, waitingFor), ...(Number.isFinite(time) ? { until: time } : {}) };
}

function words(kind: string | undefined, what: string, at: string | undefined, waitingFor: string): string {
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
