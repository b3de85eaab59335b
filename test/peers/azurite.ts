/** Table storage on this machine: Azurite, in this process, on a free port of loopback, with nothing on disk. */

import type { Server } from 'node:http';
import { createRequire } from 'node:module';

/** As far as we use what Azurite does not type. */
interface TableServer {
  start(): Promise<void>;
  close(): Promise<void>;
  httpServer: Server;
}
interface TableModules {
  TableServer: new (configuration: object) => TableServer;
  TableConfiguration: new (...settings: unknown[]) => object;
}

export interface Azurite {
  connectionString: string;
  url: string;
  close(): Promise<void>;
}

/** Its own well-known account, which is no secret. */
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export async function startAzuriteTables(): Promise<Azurite> {
  const { TableServer, TableConfiguration } = load();
  const none = undefined;
  const [host, port, keepAliveSeconds, file] = ['127.0.0.1', 0, 5, 'unused'];
  const settings = [
    host,
    port,
    keepAliveSeconds,
    file,
    false,
    false,
    none,
    none,
    false,
    true,
    '',
    '',
    '',
    none,
    true,
    true,
  ];
  const server = new TableServer(new TableConfiguration(...settings));
  await server.start();
  const address = server.httpServer.address();
  if (typeof address !== 'object' || address === null) throw new Error('Azurite listens nowhere');
  const url = `http://127.0.0.1:${address.port}/${account}`;
  return {
    url,
    connectionString: `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${url};`,
    close: async () => {
      server.httpServer.closeAllConnections();
      await server.close();
    },
  };
}

function load(): TableModules {
  const require = createRequire(import.meta.url);
  const server = require('azurite/dist/src/table/TableServer.js') as { default: TableModules['TableServer'] };
  const settings = require('azurite/dist/src/table/TableConfiguration.js') as {
    default: TableModules['TableConfiguration'];
  };
  return { TableServer: server.default, TableConfiguration: settings.default };
}
