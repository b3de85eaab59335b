/** The driver that the docs show as a beginning for one's own, behind the server and the client of the product. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDriver } from '../../../functions/hosts/provider/load-driver.ts';
import { manualClock, seededRandom } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import { grpcDriver } from '../../../shared/drivers/grpc/driver.ts';
import { callOverChannel, startTestServer } from '../../hosts/provider/server.ts';
import { describeMachineDriver } from './conformance.ts';

const file = join(import.meta.dirname, '../../../docs/examples/own-driver/driver.js');

describeMachineDriver('of the docs, through a server and mutual TLS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-own-driver-'));
  const servers: Awaited<ReturnType<typeof startTestServer>>[] = [];
  const start = async () => {
    const driver = await loadDriver(file, {
      type: 'folder',
      endpoint: `file://${folder}`,
      credentials: () => ({}),
      env: {},
      clock: manualClock(),
      timers: systemTimers,
      random: seededRandom(1),
    });
    if (!driver.ok) throw new Error(driver.error.message);
    const server = await startTestServer({ driver: driver.value });
    servers.push(server);
    return grpcDriver({ type: 'folder', call: callOverChannel(server.channel()), close: async () => undefined });
  };
  return {
    driver: await start(),
    pass: () => undefined,
    reopen: start,
    close: async () => {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}, ['snapshots', 'clones', 'images', 'disks']);
