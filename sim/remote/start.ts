/** Starts a room for the machines of the mock, the controls that every stand-in has, and a server of the protocol unless another process has one. */
import { join } from 'node:path';
import { systemRandom } from '../../shared/base/runtime.ts';
import { systemTimers } from '../../shared/base/timers.ts';
import { mockDriver } from '../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../shared/drivers/mock/options.ts';
import { openMockStore } from '../../shared/drivers/mock/store.ts';
import type { KubeletAccess } from '../cloud/node-api.ts';
import { findOverlaps } from '../cloud/overlaps.ts';
import { ledgerControl } from '../kit/ledger-control.ts';
import { answered, decodePath, parseJson, StandInServer } from '../kit/server.ts';
import { type StandInStart, standInParts } from '../kit/stand-in.ts';
import { ledgerEntry, MockRoom, type RoomSettings } from './room.ts';
import { type ServedMock, serveMock } from './serve.ts';

export interface MockWorldSettings extends RoomSettings {
  /** A multiple of how long tasks take. */
  taskTime: number;
  /** Whether to serve the protocol: else another process does, on the same file. */
  serve: boolean;
  lookMs: number;
}

export const defaultSettings: MockWorldSettings = {
  taskTime: 0.5,
  serve: true,
  lookMs: 100,
  registerSeconds: 0,
  readySeconds: 0,
  taintUntilReady: true,
  nodeLostSeconds: 40,
  cloudControllerSeconds: 60,
  rejoinDeletedNodes: false,
};

export interface MockWorld {
  readonly url: string;
  /** The file with the machines. */
  readonly file: string;
  readonly endpoint: string | undefined;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  body: unknown;
}

const answer = (status: number, body: unknown): Answer => ({ status, body });
const message = (status: number, text: string): Answer => answer(status, { message: text });

export async function startMockWorld(
  options: Pick<StandInStart, 'port'> & {
    directory: string;
    kubelet: KubeletAccess;
    settings?: Partial<MockWorldSettings>;
  },
): Promise<MockWorld> {
  const settings = { ...defaultSettings, ...options.settings };
  const { clock, timeline, faults, setFaults, log } = standInParts({});
  const file = join(options.directory, 'machines.db');
  const mock = { ...mockDefaults, seeded: false, file, taskTime: settings.taskTime };
  const random = systemRandom;
  const store = openMockStore({ ...mock, clock, random });
  let served: ServedMock | undefined;
  const driver = settings.serve ? mockDriver(mock, { clock, random, timers: systemTimers }) : undefined;
  if (driver !== undefined) served = await serveMock(driver, faults, clock);
  const { kubelet, directory: _, port = 0 } = options;
  const room = new MockRoom({ store, settings, timeline, clock, kubelet, lookMs: settings.lookMs, log });
  const ledger = () => store.transaction(() => store.history()).map(ledgerEntry);
  const server = new StandInServer<Answer>({
    latencyMs: 0,
    log,
    refusals: {
      foreignHost: message(403, 'the room of the mock only accepts requests to localhost'),
      tooLarge: message(413, 'the body is too large'),
      broken: message(500, 'the room of the mock is broken'),
    },
    toHttp: ({ status, body }) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    reply: ({ method, path, query, body }) => {
      const parts = {
        faults,
        setFaults,
        ledger,
        overlaps: () => findOverlaps(ledger()),
        stats: () => ({ calls: served?.calls ?? {}, living: ledger().filter(({ goneAt }) => goneAt === null).length }),
      };
      const control = ledgerControl(parts, method, decodePath(path), query, parseJson(body));
      if (control === undefined) return answered(message(404, 'there is nothing here'));
      return answered('wrong' in control ? message(400, control.wrong) : answer(200, control.body));
    },
  });
  const url = `http://127.0.0.1:${await server.listen(port)}`;
  return {
    url,
    file,
    endpoint: served?.endpoint,
    close: async () => {
      timeline.close();
      room.close();
      served?.close();
      await driver?.close();
      await server.close();
      store.close();
    },
  };
}
