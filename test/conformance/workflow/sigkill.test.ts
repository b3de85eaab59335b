import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../../shared/base/runtime.ts';
import { Journal } from '../../../shared/workflow/sqlite/journal.ts';
import { openJournal } from '../../../shared/workflow/sqlite/schema.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sigkill-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const instances = 20;
const steps = 6;

/** Runs the host; kills it with SIGKILL after so many effects. True if it came to its end by itself. */
function runHost(journal: string, effects: string, killAfter: number): Promise<boolean> {
  const script = join(import.meta.dirname, 'mortal-host.ts');
  const most = killAfter + 10;
  const child = spawn(process.execPath, [script, journal, effects, ...[instances, steps, most].map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = 0;
  child.stdout.on('data', (dots: Buffer) => {
    seen += dots.length;
    if (seen >= killAfter) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve(false);
      else if (code === 0) resolve(true);
      else reject(new Error(`the host ended with ${code ?? signal}`));
    });
  });
}

it('a process killed with SIGKILL again and again brings every workflow to its right end', async () => {
  const journal = join(directory, 'journal.db');
  const effects = join(directory, 'effects');
  const random = seededRandom(7);
  let kills = 0;
  // Each life gets further than the one before, so the last one is not killed at all.
  while (!(await runHost(journal, effects, 5 + kills * 30 + Math.floor(random() * 20)))) kills++;
  expect(kills).toBeGreaterThan(1);

  const database = openJournal(journal);
  const rows = new Journal(database).page(undefined, 0, 1000);
  database.close();
  const sum = (steps * (steps - 1)) / 2 + 100 + 101;
  expect(rows.map(({ status, epoch, result }) => ({ status, epoch, result }))).toEqual(
    Array.from({ length: instances }, () => ({ status: 'completed', epoch: 1, result: String(sum) })),
  );

  const done = readFileSync(effects, 'utf8').trim().split('\n');
  expect(new Set(done).size).toBe(instances * (steps + 2));
  // Only what was executing at a kill is repeated: four at a time.
  expect(done.length).toBeLessThanOrEqual(instances * (steps + 2) + kills * 4);
});
