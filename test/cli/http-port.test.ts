import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { choosePort } from '../../cli/commands/start/http-port.ts';
import { rememberedUrl, rememberUrl } from '../../cli/reach/remembered-host.ts';

const host = '127.0.0.1';
let directory = '';
let servers: Server[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-port-'));
});
afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
  rmSync(directory, { recursive: true, force: true });
});

async function takenPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('the port of the HTTP API', () => {
  test('is a free one, with a word about it, when the usual one is taken', async () => {
    const port = await takenPort();

    const choice = await choosePort({ host, port }, false, directory);

    expect(choice).toEqual({ port: 0, note: `port ${port} is in use, so this is another one` });
  });

  test('is had or refused when somebody asked for it', async () => {
    const port = await takenPort();

    await expect(choosePort({ host, port }, true, directory)).rejects.toThrow(`Port ${port} on ${host} is in use`);
  });

  test('is looked for anew when the remembered one is taken meanwhile', async () => {
    const [usual, remembered] = [await takenPort(), await takenPort()];
    rememberUrl(directory, `http://${host}:${remembered}`);

    const choice = await choosePort({ host, port: usual }, false, directory);

    expect(choice.port).toBe(0);
  });

  test('may be any', async () => {
    expect(await choosePort({ host, port: 0 }, true, directory)).toEqual({ port: 0 });
  });
});

test('an address is remembered, and rubbish in its place is none', () => {
  expect(rememberedUrl(directory)).toBeUndefined();
  rememberUrl(directory, 'http://127.0.0.1:9');
  expect(rememberedUrl(directory)).toBe('http://127.0.0.1:9');
  writeFileSync(join(directory, 'http.json'), '{"url":');
  expect(rememberedUrl(directory)).toBeUndefined();
});
