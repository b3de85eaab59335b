/** The protocol of provider servers on loopback, in plaintext, before the mock: as little as a trial needs. */
import * as grpc from '@grpc/grpc-js';
import type { Result } from '../../shared/base/result.ts';
import type { Clock } from '../../shared/base/runtime.ts';
import type { MachineDriver } from '../../shared/drivers/contract.ts';
import { handlersOf } from '../../shared/drivers/grpc/handlers.ts';
import { codeOf, kindKey, retryAfterKey } from '../../shared/drivers/grpc/status.ts';
import { type CallName, providerService } from '../../shared/drivers/protocol/service.ts';
import type { FaultBook } from '../kit/faults.ts';
import { strikeOn } from './faults.ts';

export interface ServedMock {
  readonly endpoint: string;
  /** By their names. */
  readonly calls: Record<string, number>;
  close(): void;
}

export async function serveMock(driver: MachineDriver, faults: FaultBook, clock: Clock): Promise<ServedMock> {
  const handlers = handlersOf(driver);
  const calls: Record<string, number> = {};
  const server = new grpc.Server();
  const handle =
    (name: CallName): grpc.handleUnaryCall<object, object> =>
    (call, answer) => {
      calls[name] = (calls[name] ?? 0) + 1;
      const run = handlers[name] as (request: object, signal: AbortSignal) => Promise<Result<object>>;
      const abort = new AbortController();
      call.on('cancelled', () => abort.abort());
      const strike = strikeOn(faults, name, call.request, clock.now());
      const made = strike === undefined || strike.done ? run(call.request, abort.signal) : undefined;
      if (strike !== undefined && strike.answer === undefined) return;
      void (strike?.answer === undefined ? made : Promise.resolve(strike.answer))?.then((result) => {
        if (result.ok) return answer(null, result.value);
        const metadata = new grpc.Metadata();
        metadata.set(kindKey, result.error.kind);
        const { retryAfterSeconds } = result.error;
        if (retryAfterSeconds !== undefined) metadata.set(retryAfterKey, retryAfterSeconds.toFixed(3));
        return answer({ code: codeOf(result.error), details: result.error.message, metadata });
      });
    };
  const names = Object.keys(providerService) as CallName[];
  server.addService(
    providerService as unknown as grpc.ServiceDefinition,
    Object.fromEntries(names.map((name) => [name, handle(name)])),
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { endpoint: `127.0.0.1:${port}`, calls, close: () => server.forceShutdown() };
}
