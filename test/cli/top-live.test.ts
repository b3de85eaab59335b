/** `top` on a terminal that remembers what it was sent, over a simulated cluster. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { live } from '../../cli/commands/top/live.ts';
import type { Tty } from '../../cli/commands/top/screen.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { type ClusterWorld, clusterWorld, mustBe, readyClaim } from './cluster-world.ts';

let world: ClusterWorld;
beforeEach(async () => {
  world = await clusterWorld();
});
afterEach(() => world.close());

const entered = '\u001b[?1049h';
const left = '\u001b[?7h\u001b[?25h\u001b[?1049l';

interface FakeTty extends Tty {
  sent: string;
  raw: boolean[];
  press(text: string): void;
  resize(columns: number, lines: number): void;
  exit(): void;
  listeners(): number;
}

function fakeTty(): FakeTty {
  const listeners = {
    input: new Set<(text: string) => void>(),
    resize: new Set<() => void>(),
    exit: new Set<() => void>(),
  };
  let size = { columns: 100, lines: 20 };
  const add = <L>(set: Set<L>, listener: L): (() => void) => {
    set.add(listener);
    return () => void set.delete(listener);
  };
  const tty: FakeTty = {
    sent: '',
    raw: [],
    size: () => size,
    write: (text) => {
      tty.sent += text;
    },
    setRaw: (on) => void tty.raw.push(on),
    onInput: (listener) => add(listeners.input, listener),
    onResize: (listener) => add(listeners.resize, listener),
    onExit: (listener) => add(listeners.exit, listener),
    press: (text) => {
      for (const listener of [...listeners.input]) listener(text);
    },
    resize: (columns, lines) => {
      size = { columns, lines };
      for (const listener of listeners.resize) listener();
    },
    exit: () => {
      for (const listener of [...listeners.exit]) listener();
    },
    listeners: () => listeners.input.size + listeners.resize.size + listeners.exit.size,
  };
  return tty;
}

function start(url = world.server.url) {
  const tty = fakeTty();
  const control = new AbortController();
  const common = { clock: systemClock, log: silentLog, requestTimeoutMs: 60_000, fieldManager: 'test' };
  const api = connectCluster({ name: 'production', url, ...common });
  const code = live({
    api,
    tty,
    clock: systemClock,
    color: false,
    sort: 'stage',
    selector: undefined,
    signal: control.signal,
  });
  const shows = (text: string | RegExp) =>
    vi.waitFor(() => expect(tty.sent).toMatch(text), { timeout: 60_000, interval: 20 });
  return { tty, shows, interrupt: () => control.abort(), code: code.finally(() => api.close()) };
}

test('it shows what is there, then what changes, and gives the terminal back', async () => {
  await world.claim('web');
  const { tty, shows, code } = start();
  await shows('NotSeenYet');
  expect(tty.sent.startsWith(entered)).toBe(true);

  mustBe(
    await world.api.mergePatch(
      nodeClaims,
      { name: 'web' },
      { status: readyClaim('web').status ?? {} },
      { subresource: 'status' },
    ),
  );
  await shows(/Claims {3}1: 1 ready/);
  tty.press('q');

  expect(await code).toBe(0);
  expect(tty.sent.endsWith(left)).toBe(true);
  expect(tty.raw).toEqual([true, false]);
  expect(tty.listeners()).toBe(0);
});

test('keys sort, filter and ask for help', async () => {
  await world.claim('web');
  await world.claim('db');
  const { tty, shows, code } = start();
  await shows('1-2 of 2   by stage');

  tty.press('s');
  await shows('1-2 of 2   by age');
  tty.press('/web');
  await shows('/web_');
  tty.press('\r');
  await shows('1-1 of 1   by age   filter web');
  tty.press('?');
  await shows('filter by any text in a row');
  tty.press('\u0003');

  expect(await code).toBe(130);
});

test('a new size gets a new picture', async () => {
  await world.claim('web');
  const { tty, shows, code } = start();
  await shows('1-1 of 1');
  tty.sent = '';

  tty.resize(40, 10);

  expect(tty.sent.startsWith('\u001b[2J\u001b[1;1HClaims')).toBe(true);
  expect(tty.sent).toContain('\u001b[10;1H1-1 of 1');
  tty.press('q');
  await code;
});

test.each(['a signal', 'the end of the process'])('%s gives the terminal back', async (how) => {
  const { tty, shows, interrupt, code } = start();
  await shows('No claims.');

  if (how === 'a signal') interrupt();
  else {
    tty.exit();
    expect(tty.sent.endsWith(left)).toBe(true);
    interrupt();
  }

  expect(await code).toBe(130);
  // Once: a second time would throw away what was written after it.
  expect(tty.sent.split(left)).toHaveLength(2);
});

test('a cluster that can not be reached is said without a screen', async () => {
  const { tty, code } = start('http://127.0.0.1:1');

  await expect(code).rejects.toMatchObject({ code: 'ClusterUnavailable' });
  expect(tty.sent).toBe('');
});
