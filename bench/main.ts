/**
 * `npm run bench`: measures what the product promises, prints a table, and ends with 1 if a limit is not kept.
 *
 *     npm run bench -- --json               one JSON document on stdout
 *     npm run bench -- --only memory        only the figures whose name contains this; may be repeated
 *     npm run bench -- --long --only 100,000   what takes half an hour: 100,000 claims in flight
 *     npm run bench -- --quick              small numbers, to see that everything works
 *
 * `BENCH_DIR` names the disk on which the host keeps its files (default: the system's temporary directory), and
 * `BENCH_PROFILE` a directory for processor profiles of the host. Ratios hold on a busy machine as well, but the latency
 * figure needs one that has room for 100 claims per second: what waits in line for a processor is counted too.
 */
import { figures } from './figures/index.ts';
import { runBench } from './run.ts';

await runBench(figures);
