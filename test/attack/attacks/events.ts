/** With the intake key of a cluster: events that lie, and events without end. */
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { makeEvent } from '../../../events/make.ts';
import { type Attack, expectQuiet, expectThat } from '../attack.ts';
import { claimsOf, readyClaims, secondsToReady, send } from '../neighbor.ts';
import { intakeToken, type Stage } from '../stage.ts';

const batch = { 'content-type': 'application/cloudevents-batch+json' };
const attributes = (id: string) => ({ id, time: Date.now(), source: '/attack', subject: 'any' });

async function post(url: string, token: string, events: object[]): Promise<number> {
  const headers = { ...batch, authorization: `Bearer ${token}` };
  return (await send(url, '/v1/events', events, { headers })).status;
}

export const forgedDeletions: Attack = {
  name: 'events that say that healthy machines are deleted or interrupted',
  run: async ({ world, startHost }) => {
    const host = await startHost();
    const claims = await readyClaims(world, ['one', 'two', 'three']);
    const events = claims.flatMap(({ metadata: { name, uid }, status = {} }) => {
      const { providerID = '', nodeName = '' } = status;
      const cluster = 'quiet';
      const observedBy = 'bridge' as const;
      return [
        makeEvent(
          'dev.poolwright.node.changed.v1',
          { cluster, name: nodeName, uid, providerID, ready: false, deleting: true, observedBy },
          attributes(`node-${name}`),
        ),
        makeEvent(
          'dev.poolwright.instance.interrupted.v1',
          { cluster, provider: 'sim', providerID, reason: 'forged' },
          attributes(`instance-${name}`),
        ),
        makeEvent('dev.poolwright.claim.deleted.v1', { cluster, name, uid, observedBy }, attributes(`claim-${name}`)),
      ];
    });
    const status = await post(host.url, intakeToken, events);
    await pause(5000);
    const deleting = (await claimsOf(world)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
    const text = `${events.length} events answered with ${status}; ${world.cloud.living} of 3 machines live, ${deleting} claims are being deleted`;
    expectThat(world.cloud.living === 3 && deleting === 0, text);
    return text;
  },
};

/** A cluster that takes every connection and never answers. */
export async function silentServer({ defer }: Stage): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

const foreignToken = 'attack-foreign-token-0123456789';

export const flood: Attack = {
  name: 'thirty thousand events about a cluster that does not answer',
  run: async (stage) => {
    const { world, startHost } = stage;
    const server = await silentServer(stage);
    const host = await startHost({
      clusters: { silent: { server, watch: false, intake: { tokens: [foreignToken] } } },
    });
    const quiet = await secondsToReady(world, 'quiet');
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < 30_000; sent += 500) {
      const events = Array.from({ length: 500 }, (_, index) =>
        makeEvent(
          'dev.poolwright.claim.changed.v1',
          {
            cluster: 'silent',
            name: `n-${sent + index}`,
            uid: `u-${sent + index}`,
            deleting: false,
            observedBy: 'bridge',
          },
          attributes(`e-${sent + index}`),
        ),
      );
      const status = await post(host.url, foreignToken, events);
      statuses.set(status, (statuses.get(status) ?? 0) + 500);
    }
    const attacked = await secondsToReady(world, 'attacked');
    const answers = [...statuses].map(([status, count]) => `${count} with ${status}`).join(', ');
    return `${expectQuiet('claim', quiet, attacked)}; events answered: ${answers}`;
  },
};
