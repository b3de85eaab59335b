/** A bare client for the suite: every call shows code, headers and body as they came. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

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
  /** A real server wants credentials, and has a certificate of its own. */
  headers?: { [name: string]: string };
  ca?: string;
  close(): Promise<void>;
}

export class TestClient {
  readonly api: ApiUnderTest;

  constructor(api: ApiUnderTest) {
    this.api = api;
  }

  async call(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<Reply> {
    const message = await this.#send(method, path, body, {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    const text = await textOf(message);
    const shown = headersOf(message);
    const isJson = shown.get('content-type')?.startsWith('application/json');
    return { code: message.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, headers: shown };
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
    const message = await this.#send('GET', path, undefined, headers);
    if (message.statusCode !== 200) {
      throw new Error(`the watch was refused with ${message.statusCode}: ${await textOf(message)}`);
    }
    return new Watch(message);
  }

  #send(method: string, path: string, body: unknown, headers: { [name: string]: string }): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const url = new URL(this.api.url + path);
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
      // Of a DELETE, Node would send the body without its length.
      const length = { 'content-length': String(Buffer.byteLength(text)) };
      const options = {
        method,
        headers: { ...this.api.headers, ...(body === undefined ? {} : length), ...headers },
        agent: false,
      };
      const request =
        url.protocol === 'https:' ? https.request(url, { ...options, ca: this.api.ca }) : http.request(url, options);
      request.once('response', resolve);
      request.once('error', reject);
      request.end(text);
    });
  }
}

export class Watch {
  readonly #message: IncomingMessage;
  readonly #lines: AsyncGenerator<string>;

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.#lines = linesOf(message);
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
    this.#message.destroy();
  }
}

async function* linesOf(message: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of message.setEncoding('utf8')) {
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk;
  return text;
}

function headersOf(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}
