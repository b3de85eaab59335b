/** An API server that lies about its lists: they never end, and some of its answers unpack to many times their size. */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Attack, expectThat } from '../attack.ts';
import { secondsToReady } from '../neighbor.ts';
import type { Stage } from '../stage.ts';

const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
const object = (name: string) => ({
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { filler: 'x'.repeat(3000) },
});
const page = JSON.stringify({
  kind: 'NodeClaimList',
  metadata: { resourceVersion: '1', continue: 'more' },
  items: Array.from({ length: 500 }, (_, index) => object(`n-${index}`)),
});

async function endlessServer({ defer }: Stage): Promise<string> {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    asked += 1;
    const isIdentity = request.url?.includes('/namespaces/kube-system') === true;
    const isBomb = !isIdentity && asked % 5 === 0;
    response.writeHead(200, { 'content-type': 'application/json', ...(isBomb ? { 'content-encoding': 'gzip' } : {}) });
    response.end(isIdentity ? JSON.stringify({ kind: 'Namespace', ...object('kube-system') }) : isBomb ? bomb : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** It took about 200 MB in two runs, and up to 282 MB with other pages. Without limits it was 360 MB. Memory depends on the allocator, so there is room. */
const mostMegabytes = 340;

export const endlessLists: Attack = {
  name: 'an API server with endless lists and answers that unpack to megabytes',
  run: async (stage) => {
    const host = await stage.startHost({ clusters: { endless: { server: await endlessServer(stage) } } });
    let most = 0;
    for (let looks = 0; looks < 40; looks++) {
      await pause(500);
      most = Math.max(most, host.megabytes());
    }
    const text = `at most ${most.toFixed(0)} MB; a claim of another cluster ${(await secondsToReady(stage.world, 'quiet')).toFixed(2)} s`;
    expectThat(!host.hasEnded() && most < mostMegabytes, text);
    return text;
  },
};
