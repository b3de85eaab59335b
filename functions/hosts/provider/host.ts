/** Serves one machine driver over gRPC: `poolwright provider`. */
import * as grpc from '@grpc/grpc-js';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import { pause, type Timers } from '../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../shared/drivers/contract.ts';
import { mostMessageBytes } from '../../../shared/drivers/grpc/channel.ts';
import { handlersOf } from '../../../shared/drivers/grpc/handlers.ts';
import type { CallName } from '../../../shared/drivers/protocol/service.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { createCallLimit } from './call-limit.ts';
import { addHealth } from './health.ts';
import { watchHypervisor } from './hypervisor-watch.ts';
import { listen } from './listener.ts';
import { createServerMetrics } from './metrics.ts';
import { serveProbes } from './probes.ts';
import { addCalls, addDenials } from './serve-calls.ts';
import type { TlsMode } from './tls-settings.ts';

export interface ProviderHostOptions {
  driver: MachineDriver;
  /** For metrics and logs. */
  name: string;
  endpoint: string;
  host: string;
  port: number;
  healthPort: number;
  tls: TlsMode;
  allowedNames: readonly string[];
  isToken?(token: string): boolean;
  rate: { qps: number; burst: number };
  secondsOf(call: CallName): number;
  healthSeconds: number;
  clock: Clock;
  timers: Timers;
  log: Log;
}

export interface ProviderHost {
  readonly port: number;
  readonly healthPort: number;
  /** Takes new certificates at once, as it does every few seconds by itself. */
  reloadCertificates(): void;
  /** Takes no new calls, finishes those that run, and closes everything. */
  stop(graceSeconds?: number): Promise<void>;
}

const reloadSeconds = 10;

const serverOptions: grpc.ServerOptions = {
  'grpc.max_receive_message_length': mostMessageBytes,
  'grpc.max_send_message_length': mostMessageBytes,
  'grpc.max_connection_idle_ms': 15 * 60_000,
  'grpc.max_connection_age_ms': 2 * 3_600_000,
  'grpc.max_connection_age_grace_ms': 5 * 60_000,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_concurrent_streams': 1000,
};

export async function startProviderHost(options: ProviderHostOptions): Promise<Result<ProviderHost>> {
  const { driver, log, clock, timers } = options;
  const metrics = createServerMetrics();
  const calls = new grpc.Server(serverOptions);
  const denials = new grpc.Server(serverOptions);
  addCalls(calls, { ...options, handlers: handlersOf(driver), limit: createCallLimit(options.rate, clock), metrics });
  addDenials(denials);
  const health = addHealth(calls, false);
  // TLS ends at the listener, which knows who may come in; gRPC gets the stream inside.
  const [accepted, denied] = [calls, denials].map((server) =>
    server.createConnectionInjector(grpc.ServerCredentials.createInsecure()),
  );
  const listener = await listen({
    ...options,
    accept: (socket) => accepted!.injectConnection(socket),
    deny: (socket) => denied!.injectConnection(socket),
  });
  if (!listener.ok) return listener;
  if (options.tls.kind === 'plain') log.write('provider-server.plaintext');
  let stopping = false;
  const hypervisor = watchHypervisor({
    ...options,
    provider: options.name,
    intervalSeconds: options.healthSeconds,
    metrics,
    onChange: (reachable) => health.setServing(reachable && !stopping),
  });
  const probes = await serveProbes({
    host: options.host,
    port: options.healthPort,
    problem: () => (stopping ? 'the server is stopping' : hypervisor.problem),
    metrics: async () => ({ type: metrics.contentType, text: await metrics.text() }),
  });
  if (!probes.ok) {
    hypervisor.stop();
    listener.value.close();
    return probes;
  }
  await hypervisor.looked;
  const endReloading = every(reloadSeconds, timers, () => listener.value.reload());
  log.write('provider-server.started', { type: driver.type, port: listener.value.port, tls: options.tls.kind });
  return ok({
    port: listener.value.port,
    healthPort: probes.value.port,
    reloadCertificates: () => listener.value.reload(),
    stop: async (graceSeconds = 30) => {
      if (stopping) return;
      stopping = true;
      log.write('provider-server.stopping');
      health.setServing(false);
      endReloading();
      hypervisor.stop();
      listener.value.close();
      for (const injector of [accepted!, denied!]) injector.drain(graceSeconds * 1000);
      const patience = new AbortController();
      await Promise.race([
        Promise.all([calls, denials].map(ended)),
        pause(graceSeconds * 1000, patience.signal, timers),
      ]);
      // A timer that still runs would keep the process alive.
      patience.abort();
      for (const injector of [accepted!, denied!]) injector.destroy();
      for (const server of [calls, denials]) server.forceShutdown();
      await probes.value.close();
      await driver.close();
      log.write('provider-server.stopped');
    },
  });
}

const ended = (server: grpc.Server): Promise<void> => new Promise((resolve) => server.tryShutdown(() => resolve()));

function every(seconds: number, timers: Timers, work: () => void): () => void {
  let cancel = (): void => undefined;
  const again = (): void => {
    cancel = timers.after(seconds * 1000, () => {
      work();
      again();
    });
  };
  again();
  return () => cancel();
}
