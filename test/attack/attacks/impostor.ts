/** The administrator of one configured cluster makes it report the uid of another one. */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startClusterApi } from '../../../sim/cluster/server.ts';
import { type Attack, expectThat } from '../attack.ts';
import { readyClaims } from '../neighbor.ts';
import type { Stage } from '../stage.ts';

/** Hands everything on to a cluster of its own, under the uid of another one. */
async function impostorOf({ world, defer }: Stage): Promise<string> {
  const own = await startClusterApi({ file: ':memory:', port: 0 });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'content-type': request.headers['content-type'] ?? 'application/json' };
    const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
    const asked: RequestInit = { method: request.method ?? 'GET', headers, ...(body ? { body } : {}) };
    if (/[?&]watch=/.test(request.url ?? '')) return void response.writeHead(200);
    const answer = await fetch(`${own.url}${request.url}`, asked);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end((await answer.text()).replaceAll(own.kubeSystemUid, world.cluster.kubeSystemUid));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(async () => {
    server.closeAllConnections();
    server.close();
    await own.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

export const impostor: Attack = {
  name: 'a cluster that reports the uid of another one',
  run: async (stage) => {
    const { world, startHost } = stage;
    const garbageCollection = { everySeconds: 1, graceSeconds: 1, maxDeletesPercent: 100 };
    const quiet = { server: world.cluster.url, garbageCollection };
    const host = await startHost({
      clusters: { impostor: { server: await impostorOf(stage), garbageCollection }, quiet },
    });
    await readyClaims(world, ['one', 'two', 'three', 'four']).catch(() => []);
    const made = world.cloud.ledger().length;
    await pause(20_000);
    const text = `${world.cloud.living} of ${made} machines live`;
    expectThat(world.cloud.living === made, text);
    expectThat(host.log().includes('"cluster.disputed"'), 'nothing was said');
    return text;
  },
};
