/** With the intake key of a cluster: more events than the disk should hold. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeEvent } from '../../../events/make.ts';
import { type Attack, expectThat } from '../attack.ts';
import { secondsToReady, send } from '../neighbor.ts';
import { silentServer } from './events.ts';

const foreignToken = 'attack-foreign-token-0123456789';
const sentMegabytes = 100;
/** `queue.maxWaitingMegabytesPerCluster` is 32; SQLite's log of the newest writes may be as large again. */
const mostMegabytes = 80;

export const fullDisk: Attack = {
  name: 'a hundred megabytes of events about a cluster that does not answer',
  run: async (stage) => {
    const { world, startHost, directory } = stage;
    const server = await silentServer(stage);
    const host = await startHost({
      clusters: { silent: { server, watch: false, intake: { tokens: [foreignToken] } } },
    });
    const headers = { 'content-type': 'application/cloudevents-batch+json', authorization: `Bearer ${foreignToken}` };
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < sentMegabytes; sent++) {
      const events = Array.from({ length: 16 }, (_, index) => ({
        ...makeEvent(
          'dev.poolwright.claim.changed.v1',
          { cluster: 'silent', name: `n-${sent}-${index}`, uid: 'u', deleting: false, observedBy: 'bridge' },
          { id: `e-${sent}-${index}`, time: Date.now(), source: '/attack', subject: 'any' },
        ),
        // As much as an event may have: no text in it may be longer.
        filler: Array.from({ length: 15 }, () => 'x'.repeat(4000)),
      }));
      const { status } = await send(host.url, '/v1/events', events, { headers });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const data = directory('host-3');
    const bytes = readdirSync(data).map((name) => statSync(join(data, name)).size);
    const used = bytes.reduce((sum, size) => sum + size, 0) / 1_000_000;
    const claim = await secondsToReady(world, 'attacked');
    const answers = [...statuses].map(([status, count]) => `${count} MB answered with ${status}`).join(', ');
    const text = `${answers}; ${used.toFixed(0)} MB on the disk; a claim of another cluster ${claim.toFixed(2)} s`;
    expectThat((statuses.get(429) ?? 0) > 0 && used < mostMegabytes && Number.isFinite(claim), text);
    return text;
  },
};
