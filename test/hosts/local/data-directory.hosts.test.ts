/** One directory, one host: locks, tokens and what is said when the store is no good. */
import { chmodSync, cpSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startHost, temporaryDirectory, useProcesses, worldBeside } from './host-process.ts';

useProcesses();

/** For people: no stack, and not a wall of text. */
function expectForPeople(text: string): void {
  expect(text).not.toMatch(/\n\s+at /);
  expect(text).not.toMatch(/node:internal/);
  expect(text.split('\n').filter((line) => line && !line.startsWith('{')).length).toBeLessThan(12);
}

describe('a data directory', () => {
  it('serves one process: the second says so, names the first and ends with 1', async () => {
    const directory = temporaryDirectory();
    const { config } = await worldBeside();
    const first = startHost({ directory, config });
    await first.up;
    const second = startHost({ directory, config });
    expect((await second.ended).code).toBe(1);
    expect(second.said()).toContain('is in use by another Poolwright');
    expect(second.said()).toContain(String(first.pid));
    expect(second.said()).toContain('--data-dir');
    expectForPeople(second.said());
    first.kill('SIGKILL');
    await first.ended;
    // A dead process holds nothing.
    const third = startHost({ directory, config });
    await third.up;
  });

  it('keeps one token, readable by its user only, over restarts', async () => {
    const directory = temporaryDirectory();
    const { config } = await worldBeside();
    const first = startHost({ directory, config });
    const url = await first.up;
    const file = join(directory, 'token');
    const token = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const asked = (headers: Record<string, string>) => fetch(`${url}/metrics`, { headers });
    expect((await asked({})).status).toBe(401);
    expect((await asked({ authorization: `Bearer ${token.trim()}` })).status).toBe(200);
    first.kill('SIGTERM');
    await first.ended;
    chmodSync(file, 0o644);
    const second = startHost({ directory, config });
    await second.up;
    expect(readFileSync(file, 'utf8')).toBe(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['journal.db', 'queue.db', 'state.db'])(
    'with a damaged %s stops at the start and says what to do',
    async (name) => {
      const { config } = await worldBeside();
      const good = temporaryDirectory();
      const host = startHost({ directory: good, config });
      await host.up;
      host.kill('SIGTERM');
      await host.ended;
      const damages: [string, (file: string) => void][] = [
        ['not a database', (file) => writeFileSync(file, 'once upon a time '.repeat(400))],
        ['overwritten in the middle', (file) => writeFileSync(file, damaged(readFileSync(file)))],
        ['cut off', (file) => truncateSync(file, 5000)],
      ];
      for (const [what, damage] of damages) {
        const directory = temporaryDirectory();
        cpSync(good, directory, { recursive: true });
        damage(join(directory, name));
        const broken = startHost({ directory, config });
        expect((await broken.ended).code, what).toBe(1);
        expect(broken.said(), what).toContain(join(directory, name));
        expect(broken.said(), what).toMatch(/Stop|Move|Restore|restore|remove|copy/i);
        expectForPeople(broken.said());
      }
    },
  );
});

/** Every page but the first is overwritten. */
function damaged(bytes: Buffer): Buffer {
  bytes.fill(0xa5, 4096);
  return bytes;
}

describe('HTTP', () => {
  it('on a port that is taken stops the host with a clear message', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { config } = await worldBeside({ http: { port } });
    const directory = temporaryDirectory();
    const host = startHost({ directory, config });
    expect((await host.ended).code).toBe(1);
    expect(host.said()).toMatch(new RegExp(`port ${port}`, 'i'));
    expect(host.said()).toMatch(/http\.port|--http-port/);
    expectForPeople(host.said());
    // The directory is free again at once.
    taken.close();
    const again = startHost({ directory, config });
    await again.up;
  });

  it('refuses to bind elsewhere than to loopback without a token of its own', async () => {
    const { config } = await worldBeside({ http: { host: '0.0.0.0', port: 0 } });
    const host = startHost({ directory: temporaryDirectory(), config });
    expect((await host.ended).code).toBe(1);
    expect(host.said()).toMatch(/0\.0\.0\.0/);
    expect(host.said()).toMatch(/token/i);
    expectForPeople(host.said());
  });
});

describe('a wrong configuration', () => {
  it('names the file, the line, the field, the value, what is allowed and the nearest name', async () => {
    const directory = temporaryDirectory();
    const config = join(directory, 'poolwright.yaml');
    const lines = ['deployment: local', 'workflow:', '  concurency: 5', 'log:', '  level: loud', ''];
    writeFileSync(config, lines.join('\n'));
    const host = startHost({ directory: join(directory, 'data'), config });
    expect((await host.ended).code).toBe(1);
    const said = host.said();
    expect(said).toContain(config);
    expect(said).toMatch(/:3|line 3/);
    expect(said).toMatch(/concurency.*concurrency/s);
    expect(said).toMatch(/log\.level.*loud/s);
    expect(said).toMatch(/debug.*info.*warn.*error/s);
    expectForPeople(said);
    expect(existsSync(join(directory, 'data', 'journal.db'))).toBe(false);
  });

  it('in the environment is named as well', async () => {
    const host = startHost({ directory: temporaryDirectory(), env: { POOLWRIGHT_LOG_LEVEL: 'loud' } });
    expect((await host.ended).code).toBe(1);
    expect(host.said()).toContain('POOLWRIGHT_LOG_LEVEL');
    expect(host.said()).toContain('loud');
    expectForPeople(host.said());
  });

  it('that does not exist is said to be missing', async () => {
    const host = startHost({ directory: temporaryDirectory(), config: '/nowhere/poolwright.yaml' });
    expect((await host.ended).code).toBe(1);
    expect(host.said()).toContain('/nowhere/poolwright.yaml');
    expectForPeople(host.said());
  });
});
