/** The token endpoints: those of Entra ID, and the one that a machine has for its managed identity. */
import type { Clock, Ids } from '../../../shared/base/runtime.ts';
import { type Answer, json } from '../answer.ts';
import type { Principal, Tokens } from './tokens.ts';

interface EntraParts {
  tokens: Tokens;
  principals: readonly Principal[];
  clock: Clock;
  /** Managed identities tell the time of a token's end instead of its length, and the SDK compares it with its own clock. */
  wallClock: Clock;
  ids: Ids;
  tokenSeconds: number;
  /** Of this server, without a slash at the end. */
  url: () => string;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export class Entra {
  /** What an app must show that it got from its environment. */
  readonly appHeader: string;
  readonly #parts: EntraParts;

  constructor(parts: EntraParts) {
    this.#parts = parts;
    this.appHeader = parts.ids.next();
  }

  /** `https://authority/common/discovery/instance` */
  discovery(): Answer {
    const host = new URL(this.#parts.url()).host;
    return json(200, {
      tenant_discovery_endpoint: `${this.#parts.url()}/common/v2.0/.well-known/openid-configuration`,
      'api-version': '1.1',
      metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
    });
  }

  openIdConfiguration(tenant: string): Answer {
    if (!this.#knows(tenant)) return this.#noSuchTenant(tenant);
    const base = `${this.#parts.url()}/${tenant}`;
    return json(200, {
      token_endpoint: `${base}/oauth2/v2.0/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      jwks_uri: `${base}/discovery/v2.0/keys`,
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
      end_session_endpoint: `${base}/oauth2/v2.0/logout`,
      response_types_supported: ['code', 'id_token'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid'],
      tenant_region_scope: 'NA',
      cloud_instance_name: new URL(this.#parts.url()).host,
    });
  }

  /** The grant of client credentials, by secret or by assertion. */
  token(tenant: string, form: URLSearchParams): Answer {
    if (!this.#knows(tenant)) return this.#noSuchTenant(tenant);
    const clientId = form.get('client_id') ?? '';
    if (form.get('grant_type') !== 'client_credentials') {
      return this.#problem(
        400,
        'unsupported_grant_type',
        70003,
        'The app requested an unsupported grant type. Only client_credentials is served.',
      );
    }
    const principal = this.#parts.principals.find((one) => one.tenant === tenant && one.clientId === clientId);
    if (principal === undefined) {
      return this.#problem(
        400,
        'unauthorized_client',
        700016,
        `Application with identifier '${clientId}' was not found in the directory '${tenant}'. ` +
          'You may have sent your authentication request to the wrong tenant.',
      );
    }
    const refused = form.has('client_assertion')
      ? this.#checkAssertion(principal, form)
      : this.#checkSecret(principal, form);
    return refused ?? this.#grant(principal, audienceOf(form.get('scope') ?? ''));
  }

  /** IMDS: `GET /metadata/identity/oauth2/token?resource=…`, with the header `Metadata: true`. */
  machineToken(query: URLSearchParams, metadata: string | undefined): Answer {
    if (metadata?.toLowerCase() !== 'true') {
      return json(400, { error: 'invalid_request', error_description: 'Required metadata header not specified' });
    }
    return this.#managed(query);
  }

  /** App Service and Functions: `GET $IDENTITY_ENDPOINT?resource=…`, with the header `X-IDENTITY-HEADER`. */
  appToken(query: URLSearchParams, header: string | undefined): Answer {
    if (header === this.appHeader) return this.#managed(query);
    return json(401, { error: 'unauthorized', error_description: 'The header X-IDENTITY-HEADER is missing or wrong.' });
  }

  #managed(query: URLSearchParams): Answer {
    const clientId = query.get('client_id') ?? query.get('clientid');
    const principal = this.#parts.principals.find((one) =>
      clientId === null ? one.managed === 'system' : one.managed !== undefined && one.clientId === clientId,
    );
    if (principal === undefined) {
      return json(400, { error: 'invalid_request', error_description: 'Identity not found' });
    }
    const resource = query.get('resource') ?? '';
    const { tokens, tokenSeconds, wallClock } = this.#parts;
    const endsAt = Math.floor(wallClock.now() / 1000) + tokenSeconds;
    return json(200, {
      access_token: tokens.issue(principal, trimmed(resource), tokenSeconds),
      client_id: principal.clientId,
      expires_in: String(tokenSeconds),
      expires_on: String(endsAt),
      ext_expires_in: String(tokenSeconds),
      not_before: String(endsAt - tokenSeconds),
      resource,
      token_type: 'Bearer',
    });
  }

  #grant(principal: Principal, audience: string): Answer {
    const { tokens, tokenSeconds } = this.#parts;
    return json(200, {
      token_type: 'Bearer',
      expires_in: tokenSeconds,
      ext_expires_in: tokenSeconds,
      access_token: tokens.issue(principal, audience, tokenSeconds),
    });
  }

  #checkSecret(principal: Principal, form: URLSearchParams): Answer | undefined {
    const secret = form.get('client_secret');
    if (secret === null) {
      const what = "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.";
      return this.#problem(401, 'invalid_client', 7000218, what);
    }
    if (principal.secret !== undefined && secret === principal.secret) return undefined;
    return this.#problem(
      401,
      'invalid_client',
      7000215,
      'Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, ' +
        `not the client secret ID, for a secret added to app '${principal.clientId}'.`,
    );
  }

  /** The signature is not looked at: there is no issuer behind it whose keys could be fetched. */
  #checkAssertion(principal: Principal, form: URLSearchParams): Answer | undefined {
    const subject = subjectOf(form.get('client_assertion') ?? '');
    if (form.get('client_assertion_type') !== assertionType || subject === undefined) {
      return this.#problem(401, 'invalid_client', 50027, 'JWT token is invalid or malformed.');
    }
    const { federated = [] } = principal;
    if (federated.includes('*') || federated.includes(subject)) return undefined;
    return this.#problem(
      401,
      'invalid_client',
      70021,
      `No matching federated identity record found for presented assertion. Assertion Subject: '${subject}'.`,
    );
  }

  #knows(tenant: string): boolean {
    return this.#parts.principals.some((one) => one.tenant === tenant);
  }

  #noSuchTenant(tenant: string): Answer {
    const text = `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.`;
    return this.#problem(400, 'invalid_request', 90002, text);
  }

  #problem(status: number, error: string, code: number, text: string): Answer {
    const { ids, clock } = this.#parts;
    const at = new Date(clock.now()).toISOString().replace('T', ' ').replace(/\..*/, 'Z');
    const trace = ids.next();
    return json(status, {
      error,
      error_description: `AADSTS${code}: ${text} Trace ID: ${trace} Correlation ID: ${trace} Timestamp: ${at}`,
      error_codes: [code],
      timestamp: at,
      trace_id: trace,
      correlation_id: trace,
      error_uri: `${this.#parts.url()}/error?code=${code}`,
    });
  }
}

const trimmed = (audience: string): string => audience.replace(/\/+$/, '');

const audienceOf = (scope: string): string => trimmed((scope.split(' ')[0] ?? '').replace(/\/\.default$/, ''));

function subjectOf(assertion: string): string | undefined {
  const [, body] = assertion.split('.');
  try {
    const claims = JSON.parse(Buffer.from(body ?? '', 'base64url').toString()) as { sub?: unknown };
    return typeof claims.sub === 'string' ? claims.sub : undefined;
  } catch {
    return undefined;
  }
}
