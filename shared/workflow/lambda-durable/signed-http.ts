/**
 * Signed requests to the Lambda service. The SDK's client would make every function that only starts a workflow twice as slow to
 * begin; of the SDK this takes the signature alone, and that with the first request: most calls of a watcher need none.
 */

import type { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity } from '@smithy/types';
import { isObject } from '../../base/json.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { bodyText } from '../../net/foreign-body.ts';
import { createHttpClient, type HttpClient, type HttpFailure, type HttpResponse } from '../../net/http-client.ts';
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
  #signer: Promise<SignatureV4> | undefined;

  constructor(connection: LambdaConnection) {
    const { region, endpoint } = connection;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    this.#connection = connection;
    this.#base = new URL(endpoint ?? `https://lambda.${region}.${domain}`);
    this.#http = createHttpClient({ baseUrl: this.#base.origin, userAgent: 'poolwright' });
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
      const answer = await this.#send(request);
      const isFault = !answer.ok || answer.status === 429 || answer.status >= 500;
      const pause = pausesMs[tries];
      if (isFault && pause !== undefined) {
        await this.#pause(pause);
        continue;
      }
      if (!answer.ok) throw unanswered(answer);
      const read = readAnswer(answer);
      if (isFault) throw unexpected(line, read);
      return read;
    }
  }

  /**
   * For what must not be done twice without the caller's consent.
   * @throws When there is no answer. A throttle or a fault is an answer.
   */
  async askOnce(request: LambdaRequest): Promise<LambdaAnswer> {
    const answer = await this.#send(request);
    if (!answer.ok) throw unanswered(answer);
    return readAnswer(answer);
  }

  async #send({ method, path, query, headers, body }: LambdaRequest) {
    const { protocol, hostname, port, host, pathname } = this.#base;
    const whole = `${pathname.replace(/\/$/, '')}${path}`;
    this.#signer ??= this.#openSigner();
    const signer = await this.#signer;
    const signed = await signer.sign({
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

  async #openSigner(): Promise<SignatureV4> {
    const { SignatureV4 } = await import('@smithy/signature-v4');
    const { region } = this.#connection;
    const credentials = () => this.#connection.credentials();
    return new SignatureV4({ service: 'lambda', region, credentials, sha256: Sha256 });
  }

  #pause(milliseconds: number): Promise<void> {
    const timers = this.#connection.timers ?? systemTimers;
    return new Promise((resolve) => timers.after(milliseconds, resolve));
  }
}

const unanswered = ({ message }: HttpFailure): Error => new Error(`the Lambda service did not respond: ${message}`);

export const unexpected = (line: string, { status, error, message }: LambdaAnswer): Error =>
  new Error(
    `the Lambda service responded with ${status}${error ? ` ${error}` : ''} to ${line}${message ? `: ${message}` : ''}`,
  );

function readAnswer(response: HttpResponse): LambdaAnswer {
  const { status, headers } = response;
  if (status < 400) return { status, message: '', response };
  const body = response.json();
  const said = isObject(body) ? body : {};
  const named = headers['x-amzn-errortype'];
  const [error = ''] = (typeof named === 'string' ? named : '').split(':');
  const message = bodyText(String(said.Message ?? said.message ?? ''), 500);
  return { status, error, message, response };
}
