/** A provider server on free ports of loopback, its certificates, and channels to it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ProviderHost,
  type ProviderHostOptions,
  startProviderHost,
} from '../../../functions/hosts/provider/host.ts';
import { failed } from '../../../shared/base/result.ts';
import { seededRandom, systemClock } from '../../../shared/base/runtime.ts';
import { systemTimers } from '../../../shared/base/timers.ts';
import type { Caller } from '../../../shared/drivers/grpc/caller.ts';
import { type Channel, openChannel } from '../../../shared/drivers/grpc/channel.ts';
import { deadlineSeconds, isWrite } from '../../../shared/drivers/grpc/deadlines.ts';
import { failureOf } from '../../../shared/drivers/grpc/status.ts';
import { mockDriver } from '../../../shared/drivers/mock/driver.ts';
import { type MockOptions, mockDefaults } from '../../../shared/drivers/mock/options.ts';
import {
  type CertificateNames,
  issueCertificate,
  type KeyAndCertificate,
  makeAuthority,
  type Validity,
} from '../../../shared/net/certificates/certificates.ts';
import { type CollectedLine, collectingLog } from '../../../shared/observe/log/log.ts';

const lasting: Validity = { from: Date.UTC(2020, 0), to: Date.UTC(2049, 0) };

export interface TestServer {
  readonly host: ProviderHost;
  readonly folder: string;
  readonly lines: CollectedLine[];
  /** Of the server's authority, unless another is given. */
  clientFiles(
    names: Partial<CertificateNames>,
    options?: { validity?: Validity; authority?: KeyAndCertificate },
  ): { ca: string; cert: string; key: string };
  channel(options?: { tls?: { ca: string; cert?: string; key?: string } | undefined; token?: string }): Channel;
  /** Puts another certificate of the same authority where the server reads it. */
  renew(): void;
  stop(): Promise<void>;
}

export async function startTestServer(
  changes: Partial<ProviderHostOptions> = {},
  mock: Partial<MockOptions> = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-provider-'));
  const authority = makeAuthority({ commonName: 'test authority' }, lasting);
  const directory = join(folder, 'tls');
  mkdirSync(directory);
  const writeServer = (): void =>
    write(
      directory,
      authority,
      issueCertificate(authority, { commonName: 'server', dns: ['localhost'], addresses: ['127.0.0.1'] }, lasting),
    );
  writeServer();
  const log = collectingLog();
  const parts = { clock: systemClock, timers: systemTimers, random: seededRandom(1) };
  const started = await startProviderHost({
    driver: mockDriver({ ...mockDefaults, taskTime: 0, file: join(folder, 'mock.db'), ...mock }, parts),
    name: 'test',
    endpoint: 'mock',
    host: '127.0.0.1',
    port: 0,
    healthPort: 0,
    tls: { kind: 'mutual', directory },
    allowedNames: [],
    rate: { qps: 1e6, burst: 1e6 },
    secondsOf: (call) => deadlineSeconds[call],
    healthSeconds: 30,
    clock: systemClock,
    timers: systemTimers,
    log,
    ...changes,
  });
  if (!started.ok) throw new Error(started.error.message);
  const host = started.value;
  const channels: Channel[] = [];
  let clients = 0;
  const clientFiles: TestServer['clientFiles'] = (names, options = {}) => {
    const by = options.authority ?? authority;
    const at = join(folder, `client-${++clients}`);
    mkdirSync(at);
    write(at, authority, issueCertificate(by, { commonName: 'manager', ...names }, options.validity ?? lasting));
    return { ca: join(at, 'ca.crt'), cert: join(at, 'tls.crt'), key: join(at, 'tls.key') };
  };
  return {
    host,
    folder,
    lines: log.lines,
    clientFiles,
    channel: (options = { tls: clientFiles({}) }) => {
      const { tls, token } = options;
      const channel = openChannel({
        address: `localhost:${host.port}`,
        ...(tls === undefined ? {} : { tls }),
        ...(token === undefined ? {} : { token: async () => ({ ok: true, value: token }) }),
      });
      channels.push(channel);
      return channel;
    },
    renew: () => {
      writeServer();
      host.reloadCertificates();
    },
    stop: async () => {
      for (const channel of channels) channel.close();
      await host.stop(1);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Calls that are made once, with the meaning that the product gives to answers. */
export const callOverChannel =
  (channel: Channel): Caller =>
  async (name, request, signal) => {
    const answer = await channel.call(name, request, { seconds: 10, signal });
    if (answer.ok) return answer;
    const { kind, message, ...more } = failureOf(answer.said, isWrite(name));
    return failed(kind, message, more);
  };

function write(folder: string, { cert: ca }: KeyAndCertificate, { cert, key }: KeyAndCertificate): void {
  for (const [name, content] of Object.entries({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca })) {
    writeFileSync(join(folder, name), content);
  }
}
