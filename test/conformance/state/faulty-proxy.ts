/** Stands before a store and spoils chosen requests: refused as by a busy server, or done with the answer lost. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault = { status: number; headers?: Record<string, string>; body?: string } | 'lose-answer';

export interface FaultyProxy {
  port: number;
  /** The next requests of that method meet these, one each. */
  spoil(method: string, ...faults: Fault[]): void;
  /** How many requests came, by method. */
  readonly seen: Record<string, number>;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: URL): Promise<FaultyProxy> {
  const planned: { method: string; fault: Fault }[] = [];
  const seen: Record<string, number> = {};
  const server = createServer((incoming, outgoing) => {
    const method = incoming.method ?? '';
    seen[method] = (seen[method] ?? 0) + 1;
    const index = planned.findIndex((one) => one.method === method);
    const fault = index < 0 ? undefined : planned.splice(index, 1)[0]?.fault;
    if (fault !== undefined && fault !== 'lose-answer') {
      incoming.resume();
      outgoing.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const { method: verb, url: path, headers } = incoming;
    const onward = request({ host: target.hostname, port: target.port, method: verb, path, headers }, (answer) => {
      if (fault === 'lose-answer') {
        answer.resume();
        outgoing.socket?.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.socket?.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    spoil: (method, ...faults) => planned.push(...faults.map((fault) => ({ method, fault }))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
