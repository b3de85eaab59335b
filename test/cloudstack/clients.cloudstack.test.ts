/** Clients that nobody here wrote drive the stand-in: what they sign, send, page through and wait for has to work. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../shared/base/json.ts';
import type { Exchange } from '../../sim/cloudstack/api.ts';
import { defaultOfferings } from '../../sim/cloudstack/site/offerings.ts';
import { type CloudStack, type CloudStackOptions, startCloudStack } from '../../sim/cloudstack/start.ts';
import { readApiDescription } from './api-description.ts';
import { partPath } from './use-parts.ts';

const goModule = partPath('goModule');
const goClient = partPath('goClient');
const python = partPath('python');

const run = promisify(execFile);

/** On the real clock, because these clients wait by it; one offering is out of capacity. */
async function start(options: CloudStackOptions = {}): Promise<{ cloudstack: CloudStack; exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  const cloudstack = await startCloudStack({
    ...options,
    settings: {
      bootSeconds: 0.1,
      destroySeconds: 0,
      powerSeconds: 0,
      enforcePost: false,
      capacity: { '*/spot': 0 },
      limits: { volume: 20 },
    },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  onTestFinished(() => cloudstack.close());
  return { cloudstack, exchanges };
}

async function drive(cloudstack: CloudStack, program: string, ...args: string[]): Promise<JsonObject> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_PROXY: '*', ...cloudstack.env };
  const { stdout } = await run(program, args, { env });
  return JSON.parse(stdout) as JsonObject;
}

const script = (name: string): string => join(import.meta.dirname, name);

/** The client asks for nothing that the API does not have, and is answered as the API answers. */
function expectDescribed(exchanges: readonly Exchange[], except: readonly string[] = []): void {
  expect(exchanges.length).toBeGreaterThan(10);
  if (goModule === undefined) return;
  const api = readApiDescription(goModule);
  expect(new Set(exchanges.flatMap((exchange) => api.problemsOf(exchange)))).toEqual(new Set(except));
}

describe.skipIf(goClient === undefined)('cloudstack-go', () => {
  it('finds, deploys, tags and destroys, and is told what is wrong', async () => {
    const { cloudstack, exchanges } = await start();
    expect(await drive(cloudstack, goClient ?? '')).toEqual({
      zone: 'Advanced',
      zones: 1,
      memory: 8192,
      computeType: 'general-purpose',
      templateReady: true,
      state: 'Running',
      display: "Nœud (go) *'1'",
      addresses: 1,
      found: 1,
      tags: 2,
      nameTaken: expect.stringMatching(/^CloudStack API error 431 \(CSExceptionErrorCode: 4350\): .*already exists/),
      noCapacity: expect.stringContaining('"errorcode":533'),
      pageTooLarge: expect.stringMatching(/error 431 .*max allowed page size value: 500/),
      unknown: expect.stringMatching(/No match found|entity does not exist/),
      unknownCount: expect.any(Number),
      left: 0,
      tilde: expect.stringMatching(/error 401 .*unable to verify user credentials/),
      wrongSecret: expect.stringMatching(/error 401 .*unable to verify user credentials/),
    });
    expect(cloudstack.living).toBe(0);
    expectDescribed(exchanges);
  });
});

describe.skipIf(python === undefined)('cs', () => {
  it('finds, deploys, tags, pages and destroys, and is told what is wrong', async () => {
    const { cloudstack, exchanges } = await start();
    expect(await drive(cloudstack, python ?? '', script('cs_client.py'))).toEqual({
      version: '4.21.0.0',
      state: 'Running',
      display: "cs !*'() ünï",
      tagged: true,
      twice: 530,
      pages: 7,
      found: ['cs-node'],
      empty: {},
      byGet: 1,
      wrongSecret: {
        uuidList: [],
        errorcode: 401,
        errortext: 'unable to verify user credentials and/or request signature',
      },
      pageTooLarge: 431,
      tilde: 401,
      noPage: 431,
      notAllowed: 401,
      customId: 531,
      noCapacity: 533,
      gone: {},
    });
    expectDescribed(exchanges);
  });
});

describe.skipIf(python === undefined)('apache-libcloud', () => {
  it('finds, deploys, tags, stops, starts and destroys, and is told what is wrong', async () => {
    // It can't read an offering whose size the deployer chooses.
    const offerings = defaultOfferings('my-cluster').filter(({ custom }) => custom === undefined);
    const { cloudstack, exchanges } = await start({ offerings });
    expect(await drive(cloudstack, python ?? '', script('libcloud_client.py'))).toEqual({
      ram: 8192,
      image: 'Ubuntu 22.04 LTS',
      state: 'running',
      addresses: 1,
      tagged: true,
      tags: { owner: 'libcloud', two: '2' },
      groups: ['apart'],
      volumes: ['ROOT'],
      limits: 20,
      stopped: expect.anything(),
      started: expect.anything(),
      rebooted: true,
      nameTaken: expect.stringContaining('already exists'),
      noCapacity: expect.stringContaining('Unable to create a deployment'),
      wrongSecret: expect.stringContaining('Invalid provider credentials'),
      keys: ['my-keypair'],
      projects: ['nodes'],
      destroyed: true,
      left: [],
      ungrouped: true,
    });
    // What it asks for is in no version of the API.
    expectDescribed(exchanges, ['listPortForwardingRules: there is no parameter virtualmachineid']);
  });
});
