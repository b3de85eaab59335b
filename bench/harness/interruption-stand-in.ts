/** What a measurement of interruptions talks to, each in a process of its own: a queue of SQS, or the API of a cluster. */
import { startClusterApi } from '../../sim/cluster/server.ts';
import { startFauxqs } from '../../test/peers/fauxqs-server.ts';

async function start(what: string | undefined): Promise<string> {
  if (what === 'cluster') return (await startClusterApi({ file: ':memory:', port: 0 })).url;
  return (await startFauxqs()).url;
}

// The bench is gone: nobody is left to measure for.
process.on('disconnect', () => process.exit(0));
process.send?.({ url: await start(process.argv[2]) });
