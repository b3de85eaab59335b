/** Sends numbers until it is killed, and prints each one when it is durable. */

import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import { openSqliteQueue } from '../../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../../shared/queue/sqlite/schema.ts';

const options = { visibilitySeconds: 30, maxReceives: 5, maxBodyBytes: 1000 };
const database = openQueueDatabase({ file: process.argv[2] ?? ':memory:' });
const queue = openSqliteQueue({ ...database, name: 'q', clock: systemClock, ids: systemIds, options });
for (let n = 0; ; n += 3) {
  const three = [n, n + 1, n + 2];
  // A pipe whose reader is gone must end it: the killer may have died first.
  await Promise.all(three.map((one) => queue.send([String(one)]).then(() => process.stdout.write(`${one}\n`))));
}
