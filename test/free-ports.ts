/** Ports of loopback that nobody holds now. Another process may take one before it is used: whoever gets them tries again. */
import { createServer } from 'node:net';

/** All at once, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      return typeof address === 'object' && address !== null ? address.port : 0;
    }),
  );
}
