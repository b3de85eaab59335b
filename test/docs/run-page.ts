/**
 * Runs every block of a page in a copy of this repository, with a home directory of its own and without a network. Where the tools of a
 * cloud are needed, stand-ins take their place on the PATH (`stand-ins/`): they know the syntax of what they are asked for and refuse
 * anything else.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extraSets } from '../../scripts/extra-packages.ts';
import { freePorts } from '../free-ports.ts';
import { type Block, commandsOf, typedBlocksOf } from './blocks.ts';
import { Shell } from './shell.ts';
import { missingLine } from './shown-output.ts';
import { refusalsIn } from './stand-ins/strict.ts';

export const repository = join(import.meta.dirname, '../..');
const notCopied = /^(dist|coverage|\.git|\.tmp|\.poolwright|\.serverless|\.vitest)$|(^|\/)node_modules$/;

export interface Place {
  /** The copy of the repository, where the shell is. */
  readonly directory: string;
  readonly home: string;
  /** For the commands that follow. */
  readonly env: NodeJS.ProcessEnv;
}

export interface PageOptions {
  /** Programs of `stand-ins/` that the page needs. */
  standIns?: readonly string[];
  /** Before the first block. */
  prepare?(place: Place): Promise<void> | void;
  /** What happens elsewhere after a block: the platform starts what was published. By a piece of the block's text. */
  after?: Readonly<Record<string, (place: Place) => Promise<void> | void>>;
  /** The order in which a reader would do it, where that of the page is another. */
  order?(blocks: Block[]): Block[];
  /** The page starts a host here: on a free port, because another may run. Commands find it by its data directory. */
  startsHost?: true;
  /** Ports that the page names: another process may hold them here, so each becomes a free one. */
  ports?: readonly number[];
  /** After the last block, while the place is still there. */
  finish?(): Promise<void>;
  secondsPerBlock?: number;
}

export function runPage(page: string, options: PageOptions = {}): void {
  const { order = (blocks) => blocks, secondsPerBlock = 150, after = {} } = options;
  const blocks = order(typedBlocksOf(readFileSync(join(repository, page), 'utf8')));
  describe(`${page}: each block does what the page says`, () => {
    let shell: Shell | undefined;
    let place: Place;
    let failed = false;
    let onFreePorts = (text: string): string => text;
    const scratch = mkdtempSync(join(tmpdir(), 'poolwright-docs-'));
    beforeAll(async () => {
      place = makePlace(scratch, options.standIns ?? []);
      onFreePorts = await freePortsFor(options.ports ?? []);
      if (options.startsHost) place.env.POOLWRIGHT_HTTP_PORT = '0';
      await options.prepare?.(place);
      shell = new Shell({ cwd: place.directory, scratch, env: place.env });
    });
    afterAll(async () => {
      await shell?.close();
      await options.finish?.();
      rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    });

    it.each(blocks.map((block) => [block.line, titleOf(block), block] as const))(
      'line %i: %s',
      async (_line, _title, block) => {
        // Each block stands on those before it.
        if (failed || shell === undefined) throw new Error('a block before this one failed');
        failed = true;
        for (const { script, shown = [] } of commandsOf(block)) {
          const printed = await shell.run(onFreePorts(script));
          expect(refusals(scratch), `a tool refused what the page says. Printed was:\n${printed}`).toBe('');
          const missing = missingLine(shown, printed);
          expect(missing, `the page shows a line that was not printed. Printed was:\n${printed}`).toBeUndefined();
        }
        for (const [piece, happen] of Object.entries(after)) if (block.text.includes(piece)) await happen(place);
        failed = false;
      },
      secondsPerBlock * 1000,
    );
  });
}

async function freePortsFor(named: readonly number[]): Promise<(text: string) => string> {
  const free = await freePorts(named.length);
  return (text) => named.reduce((changed, port, index) => changed.replaceAll(String(port), String(free[index])), text);
}

const refusals = (scratch: string): string =>
  existsSync(refusalsIn(scratch)) ? readFileSync(refusalsIn(scratch), 'utf8') : '';

const titleOf = ({ text }: Block): string => (text.split('\n')[0] ?? '').replace(/^\$ /, '').slice(0, 80);

function makePlace(scratch: string, standIns: readonly string[]): Place {
  const directory = join(scratch, 'poolwright');
  const home = join(scratch, 'home');
  const bin = join(scratch, 'bin');
  for (const folder of [home, bin]) mkdirSync(folder);
  cpSync(repository, directory, {
    recursive: true,
    filter: (source) => !notCopied.test(source.slice(repository.length + 1)),
  });
  // Everything is there at once; the stand-in for npm says the same of `npm ci`.
  for (const set of ['.', ...extraSets]) {
    const installed = join(repository, set, 'node_modules');
    if (existsSync(installed)) symlinkSync(installed, join(directory, set, 'node_modules'));
  }
  for (const name of ['npm', ...standIns]) {
    const program = join(bin, name);
    const script = join(import.meta.dirname, 'stand-ins', `${name}.ts`);
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
    chmodSync(program, 0o755);
  }
  const env = {
    // Node as npm brings it, before one that may be older.
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    DOCS_REAL_PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  };
  return { directory, home, env };
}
