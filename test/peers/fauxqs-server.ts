/** fauxqs on a free port of loopback, by the real time. */
import { buildApp } from 'fauxqs';

export async function startFauxqs(): Promise<{ url: string; close(): Promise<void> }> {
  // Its own start would listen on every address of the machine.
  const app = buildApp({ logger: false });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: async () => void (await app.close()) };
}
