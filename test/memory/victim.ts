/**
 * A process of its own that follows a hostile cluster for some failures and then says what it still holds. Started with --expose-gc:
 * `node --expose-gc test/memory/victim.ts <url> <failures>`.
 */
import { setImmediate } from 'node:timers/promises';
import { systemClock, systemRandom } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { nodes } from '../../shared/kube/contract.ts';
import { reflect } from '../../shared/kube/reflector.ts';
import { createLog } from '../../shared/observe/log/log.ts';

export interface Held {
  /** What lives after everything that can go is gone, in bytes; before and after. */
  before: number;
  after: number;
  /** The last lines of its log. */
  said: string[];
}

const [url = '', failures = '3'] = process.argv.slice(2);
const { gc } = globalThis;
if (gc === undefined) throw new Error('start it with --expose-gc');

async function held(): Promise<number> {
  // Some things go only after those that kept them have gone.
  for (let round = 0; round < 5; round += 1) {
    await setImmediate();
    await gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const stop = new AbortController();
let left = Number(failures);
const said: string[] = [];
const log = createLog({ level: 'debug', pretty: false, sink: (line) => void said.push(line) });
const common = { name: 'hostile', clock: systemClock, log, requestTimeoutMs: 20_000, fieldManager: 'test' };
const api = connectCluster({ url, ...common });
const before = await held();
// The reflection lives for as long as the host, so what it knows counts: it is looked at before it ends.
let after = 0;
const pause = async (): Promise<void> => {
  left -= 1;
  if (left > 0) return;
  // What the host was told last, it keeps for its checks.
  const listed = await api.list(nodes, { limit: 500 });
  after = await held();
  said.push(listed.ok ? 'listed' : listed.error.message);
  stop.abort();
};
const shared = { api, resource: nodes, clock: systemClock, random: systemRandom, log, signal: stop.signal, pause };
await reflect({ ...shared, onEvent: () => undefined });
process.stdout.write(`${JSON.stringify({ before, after, said: said.slice(-4) } satisfies Held)}\n`);
api.close();
