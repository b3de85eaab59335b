import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { openSqliteQueue } from '../../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../../shared/queue/sqlite/schema.ts';

it('keeps every acknowledged message, and none twice, when the process is killed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-kill-'));
  const file = join(directory, 'queue.db');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'endless-sender.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const acknowledged: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(Number(line));
      if (acknowledged.length === 300) child.kill('SIGKILL');
    }
    const { database, commits } = openQueueDatabase({ file });
    const options = { visibilitySeconds: 30, maxReceives: 5, maxBodyBytes: 1000 };
    const queue = openSqliteQueue({ database, commits, name: 'q', clock: systemClock, ids: systemIds, options });
    const found = (await queue.receive(1_000_000)).map(({ body }) => Number(body));
    database.close();
    // In order and without a hole: the first is 0, and at least as many as were acknowledged.
    expect(found).toEqual(found.map((_, index) => index));
    expect(found.length).toBeGreaterThan(acknowledged.at(-1) ?? 0);
  } finally {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  }
});
