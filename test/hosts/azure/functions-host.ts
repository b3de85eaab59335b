/**
 * The Functions host as far as the product meets it: it loads an app, serves its HTTP trigger, pumps its Service Bus queue with the
 * real client, ticks its timers and runs its orchestrations on a task hub in a file. As on the real host, a POST to
 * `/admin/functions/<name>` runs a timer now.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceBusClient } from '@azure/service-bus';
import { Cron } from 'croner';
import { systemClock } from '../../../shared/base/runtime.ts';
import type { FunctionApp } from '../../stand-ins/functions-host/core.ts';
import type { DurableFaults } from '../../stand-ins/functions-host/durable/faults.ts';
import { startDurableHttp } from '../../stand-ins/functions-host/durable/http.ts';
import { TaskHub } from '../../stand-ins/functions-host/durable/hub.ts';
import { HubStore } from '../../stand-ins/functions-host/durable/store.ts';
import { callServiceBus, callTimer, invoke } from '../../stand-ins/functions-host/invoke.ts';
import type { HttpData } from '../../stand-ins/functions-host/typed-data.ts';

export interface FunctionsHostOptions {
  app: FunctionApp;
  /** The SQLite file of the task hub, which outlives the host, or `:memory:`. */
  hubFile: string;
  /** Of the broker; the queues are those that the triggers name. */
  serviceBus: string;
  /** False where a test ticks by itself. */
  timers?: boolean;
  /** What goes wrong between the host and its task hub. */
  faults?: DurableFaults;
  port?: number;
}

export interface FunctionsHost {
  readonly url: string;
  readonly hub: TaskHub;
  stop(): Promise<void>;
}

/** As host.json has it. */
const concurrency = 32;
const maxConcurrentCalls = 16;

export async function startFunctionsHost(options: FunctionsHostOptions): Promise<FunctionsHost> {
  const { app, hubFile, serviceBus, timers = true, faults = {}, port = 0 } = options;
  const store = new HubStore(hubFile);
  const hub = new TaskHub({ store, clock: systemClock, concurrency, faults });
  hub.use(app);
  const durable = await startDurableHttp({ hub });
  app.inputs.set('durableClient', () => durable.clientData());
  const server = createServer((request, response) => {
    serveHttp(app, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  hub.run();
  const bus = new ServiceBusClient(serviceBus);
  const pumps = ofType(app, 'serviceBusTrigger').map(({ name, binding }) => pump(app, bus, name, binding.queueName));
  const ticking = timers
    ? ofType(app, 'timerTrigger').map(
        ({ name, binding }) =>
          // One run at a time, as on the platform.
          new Cron(String(binding.schedule), { timezone: 'UTC', protect: true }, () => tick(app, name)),
      )
    : [];
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hub,
    stop: async () => {
      for (const cron of ticking) cron.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(pumps.map((one) => one.close()));
      await bus.close();
      await hub.stop();
      await durable.close();
      store.close();
    },
  };
}

function ofType(app: FunctionApp, type: string) {
  return app.index().flatMap(({ name, bindings }) => {
    const binding = Object.values(bindings).find((one) => one.type === type);
    return binding ? [{ name, binding }] : [];
  });
}

/** A run that fails is logged by the platform; the next tick comes all the same. */
async function tick(app: FunctionApp, name: string): Promise<void> {
  await callTimer(app, name).catch((error: unknown) => {
    app.logged.push({ level: 'error', category: `Function.${name}`, message: String(error) });
  });
}

/** Completes what the function is through with, and abandons what it throws at. */
function pump(app: FunctionApp, bus: ServiceBusClient, name: string, queue: unknown) {
  const receiver = bus.createReceiver(String(queue), { skipParsingBodyAsJson: true });
  const subscription = receiver.subscribe(
    {
      processMessage: async (message) => {
        await callServiceBus(app, name, {
          body: Buffer.from(message.body as Uint8Array).toString('utf8'),
          messageId: String(message.messageId ?? ''),
          // The host counts this delivery, the client those before it.
          deliveryCount: (message.deliveryCount ?? 0) + 1,
          lockToken: message.lockToken ?? '',
          ...(message.enqueuedTimeUtc ? { enqueuedTimeUtc: message.enqueuedTimeUtc.toISOString() } : {}),
          ...(message.applicationProperties ? { applicationProperties: message.applicationProperties } : {}),
        });
      },
      processError: async ({ error }) => {
        app.logged.push({ level: 'warning', category: 'ServiceBus', message: String(error) });
      },
    },
    { maxConcurrentCalls },
  );
  return {
    close: async () => {
      await subscription.close();
      await receiver.close();
    },
  };
}

async function serveHttp(app: FunctionApp, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url ?? '/';
  const admin = /^\/admin\/functions\/([\w-]+)$/.exec(path)?.[1];
  if (admin !== undefined) {
    await callTimer(app, admin);
    response.writeHead(202).end();
    return;
  }
  const headers = Object.entries(request.headers).map(([name, value]) => [name, { value: [value].flat().join(', ') }]);
  const data: HttpData = {
    method: request.method ?? 'GET',
    url: `http://${request.headers.host}${path}`,
    nullableHeaders: Object.fromEntries(headers),
    nullableParams: {},
    nullableQuery: {},
    ...(chunks.length === 0 ? {} : { body: { bytes: Buffer.concat(chunks) } }),
  };
  const { returned } = await invoke(app, 'http', { http: data });
  const { statusCode, headers: answered, body } = returned?.http ?? {};
  response.writeHead(Number(statusCode ?? 204), answered).end(body?.bytes ?? body?.string ?? '');
}
