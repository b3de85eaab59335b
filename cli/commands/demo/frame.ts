/** What every demo has: a screen, a host that is killed, a world that is looked at again and again, and nothing left at the end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../../../shared/base/error-text.ts';
import { firstLine, type Running, run } from './processes.ts';
import { type Proof, reportProofs } from './proof.ts';
import type { Cells, Screen } from './screen.ts';
import { type Host, NotSo } from './story.ts';

/** The longest that anything in the story may take, on the slowest machine. */
const patienceMs = 45_000;
const lookMs = 120;
/** Time to read what comes next. */
const beatMs = 600;

/** What a story is told with. */
export interface Frame<Sight> {
  startHost(): Promise<Host>;
  /** Looks until it is so, and shows what it sees; throws `NotSo` when it takes too long. */
  until(what: string, isSo: (sight: Sight) => boolean | Promise<boolean>): Promise<Sight>;
  /** A moment to read what comes next; the picture goes on moving. */
  beat(): Promise<void>;
  chapter(text: string): void;
  /** Throws `NotSo` when it does not hold. */
  statement(text: string, holds: boolean): void;
}

export interface Opened<Sight> {
  look(): Promise<Sight>;
  show(sight: Sight): void;
  /** Of the host. */
  config: object;
  env: Record<string, string>;
  tell(frame: Frame<Sight>): Promise<void>;
  prove(): Promise<Proof[]>;
  /** What is read at the end, for the title of the proofs. */
  readFrom: string;
  close(): Promise<void> | void;
}

export interface Setting {
  /** Where everything of this demo is. */
  base: string;
  /** Processes that end with the demo. */
  children: Running[];
  stop: AbortSignal;
}

/** The exit code. */
export async function play<Sight, Row extends Cells>(
  screen: Screen<Row>,
  title: string,
  open: (setting: Setting) => Promise<Opened<Sight>>,
): Promise<number> {
  const started = performance.now();
  const setting: Setting = {
    base: mkdtempSync(join(tmpdir(), 'poolwright-demo-')),
    children: [],
    stop: stopSignal(),
  };
  const { base, children, stop } = setting;
  let opened: Opened<Sight> | undefined;
  let code = 1;
  try {
    screen.chapter(title);
    opened = await open(setting);
    await opened.tell(frameOf(opened, screen, setting));
    screen.done();
    const holds = reportProofs(await opened.prove(), screen, opened.readFrom);
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    if (holds) screen.line(`Nothing is left running. All checks passed, in ${took}.`, 'good');
    else screen.line(`Some checks failed (${took}).`, 'bad');
    code = holds ? 0 : 1;
  } catch (error) {
    screen.done();
    if (stop.aborted) {
      screen.line('Stopped. Nothing of the demo is left running.');
      code = 130;
    } else {
      screen.line(`The demo failed: ${errorText(error)}`, 'bad');
    }
  } finally {
    for (const child of children) await child.end('SIGKILL');
    await opened?.close();
    if (code === 1) screen.line(`The logs are in ${base}.`);
    else rmSync(base, { recursive: true, force: true });
  }
  return code;
}

function frameOf<Sight, Row extends Cells>(
  opened: Opened<Sight>,
  screen: Screen<Row>,
  { base, children, stop }: Setting,
): Frame<Sight> {
  const config = join(base, 'poolwright.json');
  writeFileSync(config, JSON.stringify(opened.config), { mode: 0o600 });
  const failure = new AbortController();
  const look = async (): Promise<Sight> => {
    stop.throwIfAborted();
    failure.signal.throwIfAborted();
    const sight = await opened.look();
    opened.show(sight);
    return sight;
  };
  /** Goes on showing while something else takes its time. */
  const meanwhile = async <T>(work: Promise<T>): Promise<T> => {
    let over = false;
    const ended = work.finally(() => {
      over = true;
    });
    ended.catch(() => undefined);
    while (!over) {
      await look();
      await Promise.race([pause(lookMs), ended]);
    }
    return ended;
  };
  return {
    chapter: (text) => screen.chapter(text),
    statement(text, holds) {
      screen.statement(text, holds);
      if (!holds) throw new NotSo(`expected, but not true: ${text}`);
    },
    async until(what, isSo) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const sight = await look();
        if (await isSo(sight)) return sight;
        if (performance.now() > deadline)
          throw new NotSo(`timed out after ${patienceMs / 1000} s, waiting until ${what}`);
        await pause(lookMs);
      }
    },
    beat: () => meanwhile(pause(beatMs)),
    async startHost(): Promise<Host> {
      const args = ['start', '--config', config, '--data-dir', join(base, 'host'), '--json'];
      const host = run(args, join(base, 'host.log'), opened.env);
      children.push(host);
      let wanted = false;
      void host.ended.then((how) => {
        if (!wanted) failure.abort(new Error(`the host exited unexpectedly (${how})`));
      });
      const up = await meanwhile(
        within(
          stop,
          firstLine(host, (line) => (line.includes('"host.started"') ? true : undefined)),
        ),
      );
      if ('ended' in up) throw new Error(`the host did not start (${up.ended})`);
      return {
        pid: host.pid,
        kill: () => {
          wanted = true;
          return host.end('SIGKILL');
        },
      };
    },
  };
}

/** Rejects when somebody wants to stop, or when it takes too long. */
export async function within<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  const limit = AbortSignal.any([stop, AbortSignal.timeout(patienceMs)]);
  limit.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const onAbort = (): void => ended.reject(limit.reason as Error);
  limit.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    limit.removeEventListener('abort', onAbort);
  }
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort(new Error('stopped')));
  }
  // Nobody reads on, as behind `| head`: without this the process would die and leave its children.
  process.stdout.on('error', () => stop.abort(new Error('nobody reads on')));
  return stop.signal;
}
