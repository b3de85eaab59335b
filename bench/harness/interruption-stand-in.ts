/** What a measurement of interruptions talks to, each in a process of its own: a queue of SQS, or the API of a cluster. */
import { buildApp } from 'fauxqs';
import { startClusterApi } from '../../sim/cluster/server.ts';

async function start(what: string | undefined): Promise<string> {
  if (what === 'cluster') return (await startClusterApi({ file: ':memory:', port: 0 })).url;
  // Its own start would listen on every address of the machine.
  return buildApp({ logger: false }).listen({ host: '127.0.0.1', port: 0 });
}

// The bench is gone: nobody is left to measure for.
process.on('disconnect', () => process.exit(0));
process.send?.({ url: await start(process.argv[2]) });
