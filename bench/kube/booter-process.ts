/** Makes every Node Ready as soon as it sees it, with one write. */
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../shared/base/runtime.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import type { KubeObject } from '../../shared/kube/contract.ts';
import { nodes } from '../../shared/kube/contract.ts';
import { createLog } from '../../shared/observe/log/log.ts';

type Node = KubeObject & { status?: { conditions?: { type: string; status: string }[] } };

const access = JSON.parse(process.argv[2] ?? '{}') as { url: string; ca: string; token: string };
const api = connectCluster({
  ...access,
  name: 'bench',
  clock: systemClock,
  log: createLog({ level: 'error', pretty: false }),
  requestTimeoutMs: 30_000,
  fieldManager: 'booter',
  maxSockets: 32,
});
/** A server at its limit is left alone for a moment. */
const againMs = 200;
process.on('disconnect', () => process.exit(0));

async function makeReady(node: Node): Promise<void> {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'ready',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
  const patch = { status: { conditions: [ready] } };
  for (;;) {
    const patched = await api.mergePatch(nodes, { name: node.metadata.name }, patch, { subresource: 'status' });
    if (patched.ok || patched.error.kind === 'not-found') return;
    await pause(againMs);
  }
}

const list = await api.list<Node>(nodes);
if (!list.ok) throw new Error(list.error.message);
let { resourceVersion } = list.value;
process.send?.('up');
for (;;) {
  const { end } = await api.watch<Node>(
    nodes,
    { resourceVersion },
    (event) => {
      if (event.type === 'bookmark') {
        ({ resourceVersion } = event);
        return;
      }
      ({ resourceVersion } = event.object.metadata);
      if (event.type === 'added') void makeReady(event.object);
    },
    new AbortController().signal,
  );
  if (end !== 'closed') await pause(againMs);
}
