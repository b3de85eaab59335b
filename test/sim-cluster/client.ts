/** A bare client for the suite: every call shows code, headers and body as they came. */

export interface Reply {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and a wrong shape fails the test.
  body: any;
  headers: Headers;
}

export interface WatchEvent {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  object: any;
}

export interface ApiUnderTest {
  url: string;
  /** A real server wants credentials. */
  headers?: { [name: string]: string };
  close(): Promise<void>;
}

export class TestClient {
  readonly api: ApiUnderTest;

  constructor(api: ApiUnderTest) {
    this.api = api;
  }

  async call(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<Reply> {
    const response = await fetch(this.api.url + path, {
      method,
      headers: {
        ...this.api.headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { code: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  }

  get(path: string, headers?: { [name: string]: string }): Promise<Reply> {
    return this.call('GET', path, undefined, headers);
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.call('POST', path, body);
  }

  put(path: string, body: unknown): Promise<Reply> {
    return this.call('PUT', path, body);
  }

  delete(path: string, body?: unknown): Promise<Reply> {
    return this.call('DELETE', path, body);
  }

  merge(path: string, patch: unknown): Promise<Reply> {
    return this.call('PATCH', path, patch, { 'content-type': 'application/merge-patch+json' });
  }

  jsonPatch(path: string, patch: unknown): Promise<Reply> {
    return this.call('PATCH', path, patch, { 'content-type': 'application/json-patch+json' });
  }

  strategic(path: string, patch: unknown): Promise<Reply> {
    return this.call('PATCH', path, patch, { 'content-type': 'application/strategic-merge-patch+json' });
  }

  apply(path: string, configuration: unknown, manager: string, force = false): Promise<Reply> {
    return this.call('PATCH', `${path}?fieldManager=${manager}&force=${force}`, configuration, {
      'content-type': 'application/apply-patch+yaml',
    });
  }

  /** Resolves when the server has accepted the watch; events are then taken one by one. */
  async watch(path: string, headers: { [name: string]: string } = {}): Promise<Watch> {
    const stop = new AbortController();
    const response = await fetch(this.api.url + path, {
      headers: { ...this.api.headers, ...headers },
      signal: stop.signal,
    });
    if (!response.body || response.status !== 200) {
      const body = await response.text();
      throw new Error(`the watch was refused with ${response.status}: ${body}`);
    }
    return new Watch(response.body, stop);
  }
}

export class Watch {
  readonly #stop: AbortController;
  readonly #lines: AsyncGenerator<string>;

  constructor(body: ReadableStream<Uint8Array>, stop: AbortController) {
    this.#stop = stop;
    this.#lines = linesOf(body);
  }

  /** The next event, or undefined when the server has ended the watch. */
  async next(): Promise<WatchEvent | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : JSON.parse(value);
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (!event) throw new Error(`the watch ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  stop(): void {
    this.#stop.abort();
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
