/**
 * What is handed to Microsoft's clients: one pipeline with our transport, our tokens and no retries. Around every call runs
 * `exchange`, which keeps the answer as it came, because the clients throw half of it away.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createEmptyPipeline,
  type Pipeline,
  type PipelinePolicy,
  type PipelineResponse,
  setClientRequestIdPolicy,
} from '@azure/core-rest-pipeline';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import type { Json } from '../../base/json.ts';
import { type Failure, ok, type Result } from '../../base/result.ts';
import type { ArmAnswer } from './arm-error.ts';
import type { AzureCredential } from './credential.ts';
import { TransportError } from './transport.ts';

/** A failure on its way out through a client that only knows exceptions. */
class FailureError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'FailureError';
    this.failure = failure;
  }
}

const answers = new AsyncLocalStorage<{ answer?: ArmAnswer }>();

/** The way of every request, from the outside in: remember the answer, name ourselves, sign. */
export function createArmPipeline(options: {
  credential: AzureCredential;
  endpoint: string;
  scope: string;
  userAgent: string;
}): Pipeline {
  const pipeline = createEmptyPipeline();
  pipeline.addPolicy(rememberAnswer);
  pipeline.addPolicy(setClientRequestIdPolicy());
  pipeline.addPolicy(nameOurselves(options.userAgent));
  pipeline.addPolicy(sign(options));
  return pipeline;
}

/**
 * One call of a client. The failure says `outcome-unknown` only for a write that may have left this machine; an answer of
 * any status is a success here.
 */
export async function exchange(write: boolean, call: () => Promise<unknown>): Promise<Result<ArmAnswer>> {
  const store: { answer?: ArmAnswer } = {};
  try {
    await answers.run(store, call);
  } catch (error) {
    // The clients throw for every status that they don't expect, and for bodies that they can't read: we have the answer.
    if (store.answer === undefined) return { ok: false, error: failureOfThrown(error, write) };
  }
  if (store.answer !== undefined) return ok(store.answer);
  return { ok: false, error: { kind: 'unavailable', message: 'no request was sent to ARM' } };
}

function failureOfThrown(error: unknown, write: boolean): Failure {
  if (error instanceof FailureError) return error.failure;
  if (error instanceof TransportError) {
    const kind = write && error.sent ? 'outcome-unknown' : 'unavailable';
    return { kind, message: error.message, ...defined({ cause: error.code }) };
  }
  // A client that refuses its own input throws before anything is sent.
  return { kind: 'invalid', message: errorText(error) };
}

const rememberAnswer: PipelinePolicy = {
  name: 'rememberAnswer',
  sendRequest: async (request, next) => {
    const response = await next(request);
    const store = answers.getStore();
    if (store !== undefined) store.answer = answerOf(response);
    return response;
  },
};

function answerOf({ status, headers, bodyAsText }: PipelineResponse): ArmAnswer {
  const lower = Object.entries(headers.toJSON()).map(([name, value]) => [name.toLowerCase(), value]);
  return { status, headers: Object.fromEntries(lower), body: parse(bodyAsText) };
}

function parse(text: string | null | undefined): Json | undefined {
  try {
    return text ? (JSON.parse(text) as Json) : undefined;
  } catch {
    return undefined;
  }
}

const nameOurselves = (userAgent: string): PipelinePolicy => ({
  name: 'nameOurselves',
  sendRequest: (request, next) => {
    request.headers.set('user-agent', userAgent);
    return next(request);
  },
});

function sign({
  credential,
  endpoint,
  scope,
}: {
  credential: AzureCredential;
  endpoint: string;
  scope: string;
}): PipelinePolicy {
  const home = new URL(endpoint).origin;
  return {
    name: 'sign',
    sendRequest: async (request, next) => {
      const { origin } = new URL(request.url);
      // Links come out of answers and journals; a token must not follow them to just anybody.
      if (origin !== home) {
        const message = `${origin} is not ${home}, so no request is sent there; the link is wrong or belongs to another cloud`;
        throw new FailureError({ kind: 'invalid', message });
      }
      const token = await credential.token(scope, request.abortSignal as AbortSignal | undefined);
      if (!token.ok) throw new FailureError(token.error);
      request.headers.set('authorization', `Bearer ${token.value.token}`);
      const response = await next(request);
      if (response.status !== 401) return response;
      // What was refused was not done, so that even a write may be repeated.
      const claims = claimsIn(response.headers.get('www-authenticate'));
      const other = await credential.renew(
        scope,
        token.value.token,
        claims,
        request.abortSignal as AbortSignal | undefined,
      );
      if (other === undefined) return response;
      request.headers.set('authorization', `Bearer ${other.token}`);
      return next(request);
    },
  };
}

/** What a token must show after an access policy has changed (continuous access evaluation). */
function claimsIn(challenge: string | undefined): string | undefined {
  const encoded = /claims="([^"]+)"/.exec(challenge ?? '')?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
