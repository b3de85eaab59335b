/** Counts HTTP requests by what they are, whoever serves them: Node itself tells of each one. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

export type Calls = Record<string, number>;

/** `GET nodeclaims/*`, `PATCH nodeclaims/*​/status`, `POST instances`, `WATCH nodes`: names are left out. */
export function kindOf(method: string, url: string): string {
  const [path = '', query = ''] = url.split('?');
  const parts = path.split('/').filter((part) => part !== '');
  const start = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : 0;
  const rest = parts.slice(start);
  if (start > 0 && rest[0] === 'namespaces' && rest.length > 2) rest.splice(0, 2);
  const [plural = '', name, subresource] = rest;
  const verb = query.includes('watch=') ? 'WATCH' : method;
  return `${verb} ${[plural, name === undefined ? '' : '*', subresource ?? ''].filter((part) => part !== '').join('/')}`;
}

export class CallCounter {
  #byAgent = new Map<string, Calls>();

  constructor() {
    subscribe('http.server.request.start', (message) => {
      const { request } = message as { request: IncomingMessage };
      const calls = this.of(request.headers['user-agent'] ?? '');
      const kind = kindOf(request.method ?? '', request.url ?? '');
      calls[kind] = (calls[kind] ?? 0) + 1;
    });
  }

  of(agent: string): Calls {
    let calls = this.#byAgent.get(agent);
    if (calls === undefined) {
      calls = {};
      this.#byAgent.set(agent, calls);
    }
    return calls;
  }

  reset(): void {
    this.#byAgent = new Map();
  }
}
