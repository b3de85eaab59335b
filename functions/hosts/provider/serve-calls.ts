/** gRPC's side of the server: each call goes to the machine driver, with a limit, a deadline, metrics and a line in the log where it fails. */
import * as grpc from '@grpc/grpc-js';
import { errorText } from '../../../shared/base/error-text.ts';
import { type Failure, failed, type Result } from '../../../shared/base/result.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { Handlers } from '../../../shared/drivers/grpc/handlers.ts';
import { codeOf, kindKey, retryAfterKey } from '../../../shared/drivers/grpc/status.ts';
import { type CallName, providerService } from '../../../shared/drivers/protocol/service.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { CallLimit } from './call-limit.ts';
import type { ServerMetrics } from './metrics.ts';

export interface CallsOptions {
  handlers: Handlers;
  limit: CallLimit;
  /** How long the driver may take, by call. */
  secondsOf(call: CallName): number;
  /** Undefined: no token is asked for. */
  isToken?(token: string): boolean;
  metrics: ServerMetrics;
  log: Log;
  clock: Clock;
}

type UnaryCall = grpc.ServerUnaryCall<object, object>;

export function addCalls(server: grpc.Server, options: CallsOptions): void {
  const names = Object.keys(providerService) as CallName[];
  const implementation = Object.fromEntries(names.map((name) => [name, handle(name, options)]));
  server.addService(providerService as unknown as grpc.ServiceDefinition, implementation);
}

/** For clients that are known and not allowed. */
export function addDenials(server: grpc.Server): void {
  const deny: grpc.handleUnaryCall<object, object> = (_, answer) =>
    answer({
      code: grpc.status.PERMISSION_DENIED,
      details: 'the certificate has none of the names that this provider allows',
    });
  const names = Object.keys(providerService);
  server.addService(
    providerService as unknown as grpc.ServiceDefinition,
    Object.fromEntries(names.map((name) => [name, deny])),
  );
}

function handle(name: CallName, options: CallsOptions): grpc.handleUnaryCall<object, object> {
  const { metrics, clock, log } = options;
  const run = options.handlers[name] as (request: object, signal: AbortSignal) => Promise<Result<object>>;
  return (call, answer) => {
    const from = clock.monotonic();
    void answerTo(call).then((result) => {
      const code = result.ok ? grpc.status.OK : codeOf(result.error);
      metrics.requests.inc({ method: name, status: result.ok ? 'success' : (grpc.status[code] ?? 'UNKNOWN') });
      metrics.durations.observe({ method: name }, (clock.monotonic() - from) / 1000);
      if (result.ok) return answer(null, result.value);
      log.write('provider-server.call.failed', {
        method: name,
        kind: result.error.kind,
        error: result.error.message,
        correlationId: call.metadata.get('x-correlation-id')[0]?.toString(),
      });
      return answer({ code, details: result.error.message, metadata: metadataOf(result.error) });
    });
  };

  async function answerTo(call: UnaryCall): Promise<Result<object>> {
    if (options.isToken && !options.isToken(tokenIn(call))) return failed('unauthorised', 'the token is not valid');
    const seconds = options.limit.enter();
    if (seconds !== undefined) {
      return failed('throttled', 'more calls per second than the provider takes', { retryAfterSeconds: seconds });
    }
    const abort = new AbortController();
    const limit = options.secondsOf(name);
    const timer = setTimeout(() => abort.abort(), limit * 1000);
    const stop = (): void => abort.abort();
    call.on('cancelled', stop);
    try {
      return await run(call.request, abort.signal);
    } catch (error) {
      return failed('outcome-unknown', `the driver failed: ${errorText(error)}`);
    } finally {
      clearTimeout(timer);
      call.removeListener('cancelled', stop);
    }
  }
}

const tokenIn = ({ metadata }: UnaryCall): string =>
  /^Bearer (.+)$/.exec(metadata.get('authorization')[0]?.toString() ?? '')?.[1] ?? '';

function metadataOf({ kind, retryAfterSeconds }: Failure): grpc.Metadata {
  const metadata = new grpc.Metadata();
  metadata.set(kindKey, kind);
  if (retryAfterSeconds !== undefined) metadata.set(retryAfterKey, retryAfterSeconds.toFixed(3));
  return metadata;
}
