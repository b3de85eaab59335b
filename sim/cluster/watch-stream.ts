/** One watch over HTTP: what has happened since, then what happens, as lines of JSON. */
import type { ServerResponse } from 'node:http';
import { ApiError, badRequest, expired } from './api-error.ts';
import type { Form } from './negotiation.ts';
import { type Matcher, parseFieldSelector, parseLabelSelector } from './selectors.ts';
import type { ClusterStore } from './store/cluster-store.ts';
import type { EventType, LiveEvent, StoreEvent, Watcher } from './store/watch-hub.ts';
import { type IncludeObject, partialMetadata, tableOf } from './table.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type Resource, storageKey } from './types.ts';

export interface WatchRequest {
  resource: Resource;
  namespace: string | undefined;
  labelSelector: string | undefined;
  fieldSelector: string | undefined;
  resourceVersion: string;
  bookmarks: boolean;
  /** All objects first, then a bookmark that says so. */
  sendInitialEvents: boolean;
  timeoutSeconds: number;
  form: Form;
  includeObject: IncludeObject;
}

/** Longer timers would go off at once. */
const longestTimer = 2 ** 31 - 1;

/** A client that lets this much pile up is cut off; it will come back and go on from where it was. */
const maxBacklogBytes = 16 * 1024 * 1024;

/** Answers with the watch. Throws when it cannot begin; afterwards errors travel as ERROR events. */
export function startWatch(store: ClusterStore, request: WatchRequest, response: ServerResponse): void {
  const stream = new WatchStream(store, request, response);
  // Begins right after a commit, so that what was just written is either in the past or still to come, never both.
  store.objects.afterCommit((failure) => (failure ? response.destroy() : stream.begin()));
}

class WatchStream implements Watcher {
  readonly storage: string;
  readonly #store: ClusterStore;
  readonly #request: WatchRequest;
  readonly #response: ServerResponse;
  readonly #matches: Matcher;
  readonly #selective: boolean;
  #chunks: string[] = [];
  #wroteColumns = false;
  #stop: () => void = () => {};

  constructor(store: ClusterStore, request: WatchRequest, response: ServerResponse) {
    const { resource, namespace } = request;
    this.storage = storageKey(resource);
    this.#store = store;
    this.#request = request;
    this.#response = response;
    const labels = parseLabelSelector(request.labelSelector);
    const fields = parseFieldSelector(request.fieldSelector, resource);
    this.#selective = labels !== undefined || fields !== undefined || namespace !== undefined;
    this.#matches = (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (labels?.(object) ?? true) &&
      (fields?.matches(object) ?? true);
    if (!/^\d*$/.test(request.resourceVersion)) {
      throw badRequest(
        `invalid resource version "${request.resourceVersion}": it must be a number that a list answered with`,
      );
    }
  }

  begin(): void {
    const { resourceVersion, sendInitialEvents, timeoutSeconds } = this.#request;
    this.#response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    const hub = this.#store.objects.hub;
    const from = Number(resourceVersion || '0');
    const current = this.#store.objects.resourceVersion;
    if (sendInitialEvents || from === 0) this.#tellPresent();
    else {
      try {
        if (from > current) throw expired(`too large resource version: ${from}, current: ${current}`);
        for (const event of hub.since(this.storage, from)) this.#tellPast(event);
      } catch (error) {
        this.#fail(error);
        return;
      }
    }
    if (sendInitialEvents) this.#push(this.#bookmarkLine(current, true));
    const remove = hub.add(this);
    const timer = setTimeout(() => this.end(), Math.min(timeoutSeconds * 1000, longestTimer));
    timer.unref();
    this.#stop = () => {
      clearTimeout(timer);
      remove();
    };
    this.#response.on('close', () => this.#stop());
    // The client learns at once that the watch stands, even if nothing happens.
    this.#response.flushHeaders();
    this.flush();
  }

  #tellPresent(): void {
    const { resource, namespace } = this.#request;
    for (const { object, json } of this.#store.objects.list(storageKey(resource), namespace)) {
      if (this.#matches(object)) this.#push(this.#line('ADDED', object, json));
    }
  }

  #tellPast(event: StoreEvent): void {
    if (!this.#selective && this.#request.form === 'object') {
      this.#push(jsonLine(event.type, event.json));
      return;
    }
    const object = JSON.parse(event.json) as KubeObject;
    const previous = event.previousJson === undefined ? undefined : (JSON.parse(event.previousJson) as KubeObject);
    this.tell({ ...event, object, previous, lines: new Map() });
  }

  tell(event: LiveEvent): void {
    const seen = this.#seenAs(event);
    if (!seen) return;
    if (seen.object !== event.object) {
      this.#push(this.#line(seen.type, seen.object, JSON.stringify(seen.object)));
      return;
    }
    // Columns come with the first row of a watch only, so that the first line is this watcher's own.
    const shared = this.#request.form !== 'table' || this.#wroteColumns;
    if (!shared) {
      this.#push(this.#line(seen.type, seen.object, event.json));
      return;
    }
    const format = `${this.#request.form} ${this.#request.includeObject} ${seen.type}`;
    let line = event.lines.get(format);
    if (line === undefined) {
      line = this.#line(seen.type, seen.object, event.json);
      event.lines.set(format, line);
    }
    this.#push(line);
  }

  /** To a selector an object comes when it begins to match, and goes when it no longer does. */
  #seenAs(event: LiveEvent): { type: EventType; object: KubeObject } | undefined {
    if (!this.#selective) return { type: event.type, object: event.object };
    const was = event.previous !== undefined && this.#matches(event.previous);
    const is = event.type !== 'DELETED' && this.#matches(event.object);
    if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: event.object };
    if (!was || !event.previous) return undefined;
    if (event.type === 'DELETED') return { type: 'DELETED', object: event.object };
    const { resourceVersion } = event.object.metadata;
    return {
      type: 'DELETED',
      object: { ...event.previous, metadata: { ...event.previous.metadata, resourceVersion } },
    };
  }

  #line(type: EventType, object: KubeObject, json: string): string {
    const { form, resource, includeObject } = this.#request;
    if (form === 'object') return jsonLine(type, json);
    if (form === 'partial') return jsonLine(type, JSON.stringify(partialMetadata(object)));
    const withColumns = !this.#wroteColumns;
    this.#wroteColumns = true;
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    const now = this.#store.clock.now();
    return jsonLine(type, JSON.stringify(tableOf(resource, [object], metadata, now, { includeObject, withColumns })));
  }

  #push(line: string): void {
    this.#chunks.push(line);
  }

  flush(): void {
    if (this.#chunks.length === 0) return;
    const text = this.#chunks.join('');
    this.#chunks = [];
    this.#response.write(text);
    if (this.#response.writableLength > maxBacklogBytes) {
      this.#stop();
      this.#response.destroy();
    }
  }

  bookmark(resourceVersion: number): void {
    if (!this.#request.bookmarks) return;
    this.#push(this.#bookmarkLine(resourceVersion, false));
    this.flush();
  }

  #bookmarkLine(resourceVersion: number, initialEventsEnd: boolean): string {
    const { resource, form } = this.#request;
    const metadata: JsonObject = {
      resourceVersion: String(resourceVersion),
      creationTimestamp: null,
      ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    };
    const object =
      form === 'table'
        ? { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: null, rows: [] }
        : { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
    return `{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`;
  }

  #fail(error: unknown): void {
    const status =
      error instanceof ApiError ? error.toStatus() : new ApiError(500, 'InternalError', String(error)).toStatus();
    this.#response.end(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
  }

  end(): void {
    this.#stop();
    this.flush();
    this.#response.end();
  }
}

function jsonLine(type: EventType, json: string): string {
  return `{"type":"${type}","object":${json}}\n`;
}
