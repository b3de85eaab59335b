/**
 * Signed requests to the Lambda service. The SDK's client would make every function that only starts a workflow twice as slow to
 * begin; of the SDK this takes the signature alone.
 */
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity } from '@smithy/types';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { createHttpClient, type HttpClient, type HttpResponse } from '../../net/http-client.ts';
import { Sha256 } from '../../platforms/aws/sha256.ts';

export interface LambdaConnection {
  region: string;
  /** Where the service is instead of at AWS: a stand-in, a private endpoint. */
  endpoint?: string;
  /** Asked before every request: those of a function change while it lives. */
  credentials(): Promise<AwsCredentialIdentity>;
  timeoutMs?: number;
  timers?: Timers;
}

export interface LambdaRequest {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

export interface LambdaAnswer {
  status: number;
  /** The name of the error, for every status from 400 on. */
  error?: string;
  message: string;
  response: HttpResponse;
}

const defaultTimeoutMs = 15_000;
/** After a connection that broke while the function was frozen, a throttle, or a fault of the service. */
const pausesMs = [100, 400, 1600];

export class SignedLambda {
  readonly #connection: LambdaConnection;
  readonly #base: URL;
  readonly #http: HttpClient;
  readonly #signer: SignatureV4;

  constructor(connection: LambdaConnection) {
    const { region, endpoint } = connection;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    this.#connection = connection;
    this.#base = new URL(endpoint ?? `https://lambda.${region}.${domain}`);
    this.#http = createHttpClient({ baseUrl: this.#base.origin, userAgent: 'poolwright' });
    const credentials = () => connection.credentials();
    this.#signer = new SignatureV4({ service: 'lambda', region, credentials, sha256: Sha256 });
  }

  close(): void {
    this.#http.close();
  }

  /**
   * Whatever we ask for may be asked for twice: starts have names, and a callback that is completed stays so.
   * @throws When there is no answer, or only faults and throttles, after some tries.
   */
  async ask(request: LambdaRequest): Promise<LambdaAnswer> {
    const line = `${request.method} ${request.path}`;
    for (let tries = 0; ; tries++) {
      const answer = await this.#once(request);
      const isFault = !answer.ok || answer.status === 429 || answer.status >= 500;
      const pause = pausesMs[tries];
      if (isFault && pause !== undefined) {
        await this.#pause(pause);
        continue;
      }
      if (!answer.ok) throw new Error(`the Lambda service did not answer: ${answer.message}`);
      const read = readAnswer(answer);
      if (isFault) throw unexpected(line, read);
      return read;
    }
  }

  async #once({ method, path, query, headers, body }: LambdaRequest) {
    const { protocol, hostname, port, host, pathname } = this.#base;
    const whole = `${pathname.replace(/\/$/, '')}${path}`;
    const signed = await this.#signer.sign({
      method,
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: whole,
      query: query ?? {},
      headers: { host, 'content-type': 'application/json', ...headers },
      body,
    });
    const timeoutMs = this.#connection.timeoutMs ?? defaultTimeoutMs;
    const request = { method, path: whole, query, headers: signed.headers, timeoutMs };
    return this.#http.request(body === undefined ? request : { ...request, body });
  }

  #pause(milliseconds: number): Promise<void> {
    const timers = this.#connection.timers ?? systemTimers;
    return new Promise((resolve) => timers.after(milliseconds, resolve));
  }
}

export const unexpected = (line: string, { status, error, message }: LambdaAnswer): Error =>
  new Error(
    `the Lambda service answered ${status}${error ? ` ${error}` : ''} to ${line}${message ? `: ${message}` : ''}`,
  );

function readAnswer(response: HttpResponse): LambdaAnswer {
  const { status, headers } = response;
  if (status < 400) return { status, message: '', response };
  const body = response.json();
  const said = body !== null && typeof body === 'object' && !Array.isArray(body) ? body : {};
  const named = headers['x-amzn-errortype'];
  const [error = ''] = (typeof named === 'string' ? named : '').split(':');
  const message = String(said.Message ?? said.message ?? '').slice(0, 500);
  return { status, error, message, response };
}
