/** A proxy before a server that can be switched off: it then refuses connections, as a machine that is off does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SwitchableProxy {
  url: string;
  open(): void;
  /** How many were turned away. */
  turnedAway(): number;
  close(): Promise<void>;
}

/** Off at first. */
export async function startSwitchableProxy(target: string): Promise<SwitchableProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isOpen = false;
  let turnedAway = 0;
  const server = createServer((socket) => {
    if (!isOpen) {
      turnedAway += 1;
      socket.destroy();
      return;
    }
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.once('error', () => other.destroy());
      one.once('close', () => sockets.delete(one));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => {
      isOpen = true;
    },
    turnedAway: () => turnedAway,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
