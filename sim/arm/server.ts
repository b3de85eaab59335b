/** The socket of the stand-in: https, because no Azure client sends a token over http. Tokens come from the same address. */
import type { Ids } from '../../shared/base/runtime.ts';
import { type Answer, empty, retryAfter, wrapped } from '../azure/answer.ts';
import { retailPrices } from '../azure/catalog/prices.ts';
import type { Entra } from '../azure/identity/entra.ts';
import { unauthenticated } from '../azure/identity/permissions.ts';
import type { Tokens } from '../azure/identity/tokens.ts';
import type { KeyAndCertificate } from '../kit/self-signed.ts';
import { answered, decodePath, parseJson, type Reply, type StandInRequest, StandInServer } from '../kit/server.ts';
import type { ArmCallHandler, ArmRequest } from './calls.ts';
import type { ArmFault, ArmFaults } from './faults.ts';
import { offeredLocations, offeredSizes } from './offers.ts';
import { type Route, routeOf } from './routes.ts';
import { types } from './shapes.ts';

/** It needs no token. */
export const pricesPath = '/api/retail/prices';

interface ServerParts {
  handler: ArmCallHandler;
  faults: ArmFaults;
  tokens: Tokens;
  entra: Entra;
  url: () => string;
  ids: Ids;
  certificate: KeyAndCertificate;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export class ArmServer {
  readonly calls = new Map<string, number>();
  readonly #parts: ServerParts;
  readonly #server: StandInServer<Answer>;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { ids, log, certificate } = parts;
    const problem = (status: number, code: string, message: string): Answer => wrapped(status, { code, message });
    this.#server = new StandInServer({
      latencyMs: 0,
      log,
      certificate,
      refusals: {
        foreignHost: problem(403, 'Forbidden', 'the stand-in for Azure only accepts requests to localhost'),
        tooLarge: problem(413, 'RequestTooLarge', 'The body is too large.'),
        broken: problem(500, 'InternalServerError', 'internal error of the stand-in for Azure'),
      },
      toHttp: ({ status, headers, body }) => ({ status, headers: { ...headers, 'x-ms-request-id': ids.next() }, body }),
      reply: (request) => this.#reply(request),
    });
  }

  listen(port: number): Promise<number> {
    return this.#server.listen(port);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #reply({ method, path: sent, query, headers, body }: StandInRequest): Promise<Reply<Answer>> {
    const path = decodePath(sent).replace(/(?<=.)\/$/, '');
    if (path === pricesPath && method === 'GET') {
      const { url } = this.#parts;
      return answered(
        retailPrices(query, { sizes: offeredSizes, locations: offeredLocations, pageSize: 1000, url: url() }),
      );
    }
    if (!/^\/subscriptions(\/|$)/i.test(path)) return answered(this.#entra(method, path, body));
    const request: ArmRequest = { method, path, query, headers, body: parseJson(body) };
    const route = routeOf(path);
    const refused = this.#refuse(request, route);
    if (refused !== undefined || route === undefined) return answered(refused ?? empty(404));
    const type = typeOf(route);
    const call = `${method} ${type}`;
    this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
    return await this.#strike(route, request, this.#parts.faults.decide(method, type, path));
  }

  async #strike(route: Route, request: ArmRequest, fault: ArmFault | undefined): Promise<Reply<Answer>> {
    const { handler } = this.#parts;
    switch (fault?.kind) {
      case 'refused':
        return answered(wrapped(fault.status, { code: fault.code, message: fault.message }));
      case 'throttle':
        return answered(
          wrapped(
            429,
            { code: 'TooManyRequests', message: 'The request is being throttled.' },
            retryAfter(fault.retryAfterSeconds),
          ),
        );
      case 'garbled':
        return answered({ status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' });
      case 'reset':
        if (fault.effect === 'done') await handler.answer(route, request, undefined);
        return { do: 'reset' };
      default:
        return answered(await handler.answer(route, request, fault));
    }
  }

  #refuse(
    { method, path, query, headers: { authorization } }: ArmRequest,
    route: Route | undefined,
  ): Answer | undefined {
    const checked = this.#parts.tokens.check(typeof authorization === 'string' ? authorization : undefined);
    if (!checked.ok) return unauthenticated(checked.why, this.#parts.url());
    if (route === undefined) {
      const message = `No HTTP resource was found that matches the request ${method} '${path}'.`;
      return wrapped(404, { code: 'InvalidResourceType', message });
    }
    if (/^20\d\d-\d\d-\d\d(-preview)?$/.test(query.get('api-version') ?? '')) return undefined;
    const message = 'The api-version query parameter (?api-version=) is required for all requests.';
    return wrapped(400, { code: 'MissingApiVersionParameter', message });
  }

  #entra(method: string, path: string, body: string): Answer {
    const { entra } = this.#parts;
    const [, tenant = '', ...rest] = path.split('/');
    switch (`${method} ${rest.join('/')}`) {
      case 'GET discovery/instance':
        return entra.discovery();
      case 'GET v2.0/.well-known/openid-configuration':
        return entra.openIdConfiguration(tenant);
      case 'POST oauth2/v2.0/token':
        return entra.token(tenant, new URLSearchParams(body));
      default:
        return wrapped(404, { code: 'NotFound', message: `there is no ${method} ${path}` });
    }
  }
}

function typeOf(route: Route): string {
  switch (route.to) {
    case 'resource':
    case 'list':
      return route.type;
    case 'groups':
      return types.group;
    case 'resources':
      return 'Microsoft.Resources/resources';
    case 'tags':
      return 'Microsoft.Resources/tags';
    case 'credentials':
      return types.cluster;
    case 'operation':
      return 'Microsoft.Resources/operations';
    case 'offer':
      return `offers/${route.what}`;
  }
}
