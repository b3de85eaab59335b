/**
 * One bash in which the blocks of a page run in their order, as a reader would type them: variables, functions and the directory last
 * from block to block. A command that stays (a host) would be typed in a terminal of its own: it goes on beside the others
 * until the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What stays until somebody stops it. Its line gets `stay` before it. */
const staying = /^(npm start|npx poolwright (start|simulate|provider))\b/gm;

/** Ready when it says so. The one that says nothing of the kind has failed, and what it said is shown. */
const prelude = `
set -eo pipefail
stay() {
  local log; log=$(mktemp "$DOCS_SCRATCH/staying.XXXXXX")
  set -m
  "$@" > "$log" 2>&1 < /dev/null &
  local pid=$!
  set +m
  echo $pid >> "$DOCS_SCRATCH/staying"
  for (( look = 0; look < 900; look++ )); do
    if grep -q 'is up\\.\\|"cloud":\\|provider server has started' "$log"; then cat "$log"; return 0; fi
    if ! kill -0 $pid 2> /dev/null; then break; fi
    sleep 0.1
  done
  cat "$log"
  return 1
}
`;

export interface ShellOptions {
  cwd: string;
  /** For what the shell itself has to keep. */
  scratch: string;
  env: NodeJS.ProcessEnv;
}

export class Shell {
  readonly #bash: ChildProcess;
  readonly #scratch: string;
  readonly #ended: Promise<string>;
  #said = '';
  #count = 0;

  constructor({ cwd, scratch, env }: ShellOptions) {
    this.#scratch = scratch;
    writeFileSync(join(scratch, 'staying'), '');
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd,
      env: { ...env, DOCS_SCRATCH: scratch },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#bash.stderr?.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString('utf8');
    });
    this.#ended = new Promise((resolve) =>
      this.#bash.once('close', (code, signal) => resolve(`bash ended with ${code ?? signal}`)),
    );
    this.#bash.stdin?.write(prelude);
  }

  /** What it printed. It throws if a command fails, with all that was printed until then. */
  async run(script: string): Promise<string> {
    const file = join(this.#scratch, `block-${++this.#count}.sh`);
    const output = `${file}.out`;
    writeFileSync(file, `${script.replace(staying, 'stay $&')}\n`);
    const done = new Promise<undefined>((resolve) => {
      let heard = '';
      const listen = (chunk: Buffer): void => {
        heard += chunk.toString('utf8');
        if (!heard.includes(`done ${file}`)) return;
        this.#bash.stdout?.off('data', listen);
        resolve(undefined);
      };
      this.#bash.stdout?.on('data', listen);
    });
    // No pipe between bash and us: what stays would keep it open.
    this.#bash.stdin?.write(`source '${file}' < /dev/null > '${output}' 2>&1\necho 'done ${file}'\n`);
    const end = await Promise.race([done, this.#ended]);
    const printed = readFileSync(output, 'utf8');
    if (end !== undefined) throw new Error(`${end}:\n${script}\n\n${printed}${this.#said}`);
    return printed;
  }

  /** Ends what stays, by the groups that `stay` made, and the shell. */
  async close(): Promise<void> {
    const pids = readFileSync(join(this.#scratch, 'staying'), 'utf8').split('\n').filter(Boolean).map(Number);
    for (const pid of [...pids, this.#bash.pid ?? 0]) end(pid);
    await this.#ended;
  }
}

function end(group: number): void {
  if (group <= 1) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
