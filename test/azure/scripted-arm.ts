/** An https server that answers as it is told, one answer after the other, and remembers what it was asked. */
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Json } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import { type Clock, manualClock } from '../../shared/base/runtime.ts';
import { type AzureConnection, connectAzure } from '../../shared/platforms/azure/connection.ts';
import type { TokenIssuer } from '../../shared/platforms/azure/credential.ts';
import type { AzureOptions } from '../../shared/providers/agent-pools/options.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';

export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Json | undefined;
}

/** `break`: the connection ends after the request was read, without an answer. `hang`: it does not even end. */
export type Scripted =
  | { status: number; headers?: Record<string, string>; body?: Json | string }
  | { break: true }
  | { hang: () => void }
  | ((request: SeenRequest) => Scripted);

export interface ScriptedArm {
  endpoint: string;
  ca: string;
  seen: SeenRequest[];
  /** What it answers next; when nothing is left, 599. */
  script: Scripted[];
  close(): Promise<void>;
}

const { key, cert } = selfSigned('127.0.0.1');

export async function startScriptedArm(): Promise<ScriptedArm> {
  const seen: SeenRequest[] = [];
  const script: Scripted[] = [];
  const sockets = new Set<Socket>();
  const server = https.createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const now: SeenRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text.startsWith('{') ? (JSON.parse(text) as Json) : text === '' ? undefined : text,
      };
      seen.push(now);
      let answer: Scripted | undefined = script.shift();
      while (typeof answer === 'function') answer = answer(now);
      if (answer === undefined) answer = { status: 599, body: 'nothing is left to answer' };
      if ('hang' in answer) {
        answer.hang();
        return;
      }
      if ('break' in answer) {
        request.socket.destroy();
        return;
      }
      const body =
        answer.body === undefined || typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(body);
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `https://127.0.0.1:${port}`,
    ca: cert,
    seen,
    script,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Tokens that count up: `token-1`, `token-2`, … */
export function countingIssuer(): TokenIssuer & { issued: string[]; scopes: string[] } {
  const issued: string[] = [];
  const scopes: string[] = [];
  return {
    issued,
    scopes,
    issue: async (scope, { fresh }) => {
      if (fresh || issued.length === 0) issued.push(`token-${issued.length + 1}`);
      scopes.push(scope);
      return ok({ token: issued.at(-1) ?? '', expiresAt: Date.UTC(2100, 0, 1) });
    },
  };
}

export const testOptions = (arm: Pick<ScriptedArm, 'endpoint' | 'ca'>): AzureOptions => ({
  subscription: '11111111-2222-3333-4444-555555555555',
  resourceGroup: 'gpu',
  clusterName: 'east',
  location: 'eastus',
  credential: { type: 'default' },
  cloud: { authorityHost: arm.endpoint, armEndpoint: arm.endpoint, audience: 'https://management.azure.com' },
  certificateAuthority: arm.ca,
  operationsAtOnce: 1,
  unlabelledAksNodeClasses: false,
  clusterMayBeAbsent: false,
  prices: true,
});

export const connectScripted = (
  arm: ScriptedArm,
  more: { clock?: Clock; issuer?: TokenIssuer } = {},
): AzureConnection =>
  connectAzure(testOptions(arm), {
    clock: more.clock ?? manualClock(),
    env: {},
    issuer: more.issuer ?? countingIssuer(),
  });
