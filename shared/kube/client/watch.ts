/** One watch: a connection that brings changes line by line, until somebody ends it. */

import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import { cutText } from '../../base/text.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { retryAfterSeconds } from '../../net/http-client.ts';
import type { KubeObject, Resource, WatchEnd, WatchEvent, WatchOptions } from '../contract.ts';
import { parseOf } from './large-values.ts';
import { hasName } from './names.ts';
import { collectionPath } from './paths.ts';
import { failureOf, isExpired, statusText } from './status.ts';

/** The server ends a watch after so long; servers send a bookmark about once a minute, so longer silence is a dead line. */
const watchSeconds = 290;
const silenceSeconds = 100;

const changeTypes = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;

export async function watchOnce<T extends KubeObject>(
  how: { client: Pick<HttpClient, 'stream'>; clock: Clock; timeoutMs: number; silenceMs?: number | undefined },
  resource: Resource,
  options: WatchOptions,
  onEvent: (event: WatchEvent<T>) => void | Promise<void>,
  signal: AbortSignal,
): Promise<WatchEnd> {
  // An ERROR event, or something that is no event at all, decides how this watch ends; what follows it is not read.
  let verdict: WatchEnd | undefined;
  const stop = new AbortController();
  const end = await how.client.stream(
    {
      path: collectionPath(resource, options.namespace),
      query: {
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: watchSeconds,
        resourceVersion: options.resourceVersion,
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
      },
      timeoutMs: how.timeoutMs,
      idleMs: how.silenceMs ?? silenceSeconds * 1000,
      signal: AbortSignal.any([signal, stop.signal]),
    },
    (line) => {
      const read = readEvent<T>(resource, line);
      if ('end' in read) {
        verdict = read;
        stop.abort();
        return;
      }
      return onEvent(read);
    },
  );
  if (verdict !== undefined) return verdict;
  switch (end.end) {
    case 'closed':
    case 'idle':
    case 'aborted':
      return { end: 'closed' };
    case 'broken':
      return { end: 'failed', message: end.message };
    case 'unreachable': {
      const { message, retryAfterSeconds: pause } = end;
      return { end: 'failed', message, ...defined({ retryAfterSeconds: pause }) };
    }
    case 'reader-failed':
      throw end.error;
    case 'refused': {
      if (end.answer.status === 410 || isExpired(end.answer.json())) return { end: 'expired' };
      const { message } = failureOf(end.answer, { resource, write: false }, how.clock);
      const pause = retryAfterSeconds(end.answer.headers, how.clock);
      return { end: 'failed', message, ...defined({ retryAfterSeconds: pause }) };
    }
  }
}

function readEvent<T extends KubeObject>(resource: Resource, line: string): WatchEvent<T> | WatchEnd {
  const event = asObject(parse(resource, line));
  const object = asObject(event?.object);
  const metadata = asObject(object?.metadata);
  const type = event?.type;
  if (type === 'ERROR') {
    return isExpired(object)
      ? { end: 'expired' }
      : { end: 'failed', message: `The watch reported: ${statusText(object)}` };
  }
  if (type === 'BOOKMARK' && typeof metadata?.resourceVersion === 'string') {
    return { type: 'bookmark', resourceVersion: metadata.resourceVersion };
  }
  const change =
    typeof type === 'string' && Object.hasOwn(changeTypes, type)
      ? changeTypes[type as keyof typeof changeTypes]
      : undefined;
  if (change === undefined || !hasName(metadata) || typeof metadata?.resourceVersion !== 'string') {
    return { end: 'failed', message: `The watch sent an invalid event: ${cutText(line, 120)}` };
  }
  return { type: change, object: object as Json as T & Json };
}

function parse(resource: Resource, line: string): Json | undefined {
  try {
    return parseOf(resource, line);
  } catch {
    return undefined;
  }
}
