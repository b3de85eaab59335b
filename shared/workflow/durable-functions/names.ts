/** Names of functions and instances. Histories hold on to them: a renamed function is a changed workflow. */
import { nodeCrypto } from '../../base/node-modules.ts';

/** The one orchestrator for every workflow: which one it is, is in the start payload. So an instance whose workflow is gone ends with a word, instead of waiting for ever for a function of that name. */
export const workflowFunction = 'workflow';

/** Runs one poll, or one call with retries beside others: its rounds stay out of its parent's history. */
export const stepFunction = 'workflow-step';

/** Takes signals out of the mailbox. */
export const mailboxFunction = 'workflow-mailbox';

/**
 * Orchestrations that began when every activity was a function of its own. The extension compares names when it replays, so they go on
 * with these until they end.
 */
export const activityFunction = (activity: string): string => `activity-${activity}`;

const longestReadable = 80;
const hashLength = 32;

/** What ids may hold beside letters and digits; `/ \ # ?` and control characters are refused by the extension. */
const special = /[^A-Za-z0-9._-]/g;

/**
 * The instance of an epoch of a key. Different keys never share one: what can't be in an id is written as its number,
 * and of keys that are too long the rest is a hash.
 */
export function instanceId(key: string, epoch: number): string {
  const readable = key.replace(special, (one) => (one === '/' ? ':' : `=${one.codePointAt(0)?.toString(16)}=`));
  if (readable.length <= longestReadable) return `${readable}:${epoch}`;
  const hash = nodeCrypto().createHash('sha256').update(key).digest('hex').slice(0, hashLength);
  return `${readable.slice(0, longestReadable - hashLength - 1)}=${hash}:${epoch}`;
}
