/** Which port the HTTP API gets. */
import { createServer } from 'node:net';
import { rememberedUrl } from '../../reach/remembered-host.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface PortChoice {
  port: number;
  /** When it is another one than people expect. */
  note?: string;
}

/**
 * A port that somebody asked for must be had. The usual one gives way: whoever tries the product beside another one of it
 * must not have to know about ports.
 */
export async function choosePort(
  at: { host: string; port: number },
  asked: boolean,
  directory: string,
): Promise<PortChoice> {
  const { host, port } = at;
  if (port === 0) return { port };
  if (asked) {
    if (await isFree(host, port)) return { port };
    throw new UserError(
      `Port ${port} on ${host} is in use. Stop the process that uses it, or pass another port with --http-port (0: any free port).`,
      { code: 'PortTaken' },
    );
  }
  const url = rememberedUrl(directory);
  const remembered = url === undefined ? Number.NaN : Number(new URL(url).port);
  if (remembered > 0 && remembered !== port && (await isFree(host, remembered))) return { port: remembered };
  if (await isFree(host, port)) return { port };
  return { port: 0, note: `port ${port} is in use, so this is another one` };
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    // Only a taken port is an answer here; what else is wrong with the address, the real server says better.
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
