/** `poolwright demo`: sets the stage, has the story told, and leaves nothing behind. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../../../shared/base/error-text.ts';
import type { Places, Scene } from '../../../sim/scenes/scene.ts';
import { sceneNamed } from '../../../sim/scenes/scenes.ts';
import { firstLine, type Running, run } from './processes.ts';
import { prove, reportProofs } from './proof.ts';
import { createRows } from './rows.ts';
import { openScreen, type Screen } from './screen.ts';
import { type Host, NotSo, type Stage, tellStory } from './story.ts';
import { type DemoWorld, openWorld, type Sight } from './world.ts';

/** The longest that anything in the story may take, on the slowest machine. */
const patienceMs = 45_000;
const lookMs = 120;
/** Time to read what comes next. */
const beatMs = 600;

export interface DemoOptions {
  provider: string;
}

export async function demo({ provider }: DemoOptions): Promise<number> {
  const scene = sceneNamed(provider);
  const started = performance.now();
  const base = mkdtempSync(join(tmpdir(), 'poolwright-demo-'));
  const screen = openScreen(process.stdout);
  const stop = stopSignal();
  const children: Running[] = [];
  let world: DemoWorld | undefined;
  let code = 1;
  try {
    screen.chapter(`${scene.cloud} and a cluster start`);
    const at = await startWorld(scene, base, children, stop);
    world = openWorld(at);
    await tellStory(setStage({ scene, base, world, at, children, screen, stop }));
    screen.done();
    const holds = reportProofs(await prove(world, Object.keys(scene.wishes).length), screen);
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
    world?.close();
    for (const child of children) await child.end('SIGKILL');
    if (code === 1) screen.line(`The logs are in ${base}.`);
    else rmSync(base, { recursive: true, force: true });
  }
  return code;
}

interface Parts {
  scene: Scene;
  base: string;
  at: Places;
  world: DemoWorld;
  children: Running[];
  screen: Screen;
  stop: AbortSignal;
}

function setStage({ scene, base, at, world, children, screen, stop }: Parts): Stage {
  const rowsOf = createRows(scene.wishes);
  const config = join(base, 'poolwright.json');
  writeFileSync(config, JSON.stringify(hostConfig(scene, at)));
  const failure = new AbortController();
  const look = async (): Promise<Sight> => {
    stop.throwIfAborted();
    failure.signal.throwIfAborted();
    const sight = await world.look();
    screen.show(rowsOf(sight.claims, Date.now()));
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
    scene,
    world,
    chapter: (text) => screen.chapter(text),
    statement(text, holds) {
      screen.statement(text, holds);
      if (!holds) throw new NotSo(`expected, but not true: ${text}`);
    },
    async until(what, isSo) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const sight = await look();
        if (isSo(sight)) return sight;
        if (performance.now() > deadline)
          throw new NotSo(`timed out after ${patienceMs / 1000} s, waiting until ${what}`);
        await pause(lookMs);
      }
    },
    beat: () => meanwhile(pause(beatMs)),
    async startHost(): Promise<Host> {
      const args = ['start', '--config', config, '--data-dir', join(base, 'host'), '--json'];
      const host = run(args, join(base, 'host.log'), scene.hostEnv(at));
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

async function startWorld(scene: Scene, base: string, children: Running[], stop: AbortSignal): Promise<Places> {
  const args = ['simulate', '--data-dir', join(base, 'world'), ...scene.simulate];
  const child = run(args, join(base, 'world.log'));
  children.push(child);
  const up = await within(stop, firstLine(child, readPlaces));
  if ('ended' in up) throw new Error(`the simulated cloud and cluster did not start (${up.ended})`);
  return up.line;
}

function readPlaces(line: string): Places | undefined {
  return line.startsWith('{') ? (JSON.parse(line) as Places) : undefined;
}

const hostConfig = (scene: Scene, at: Places): object => ({
  deployment: 'demo',
  clusters: { sim: { server: at.cluster } },
  providers: { [scene.name]: scene.provider(at) },
  http: { port: 0 },
});

/** Rejects when somebody wants to stop, or when it takes too long. */
async function within<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
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
