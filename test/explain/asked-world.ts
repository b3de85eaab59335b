/** A world that can be asked as people do it: by the command, over real HTTP, with a kubeconfig. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach } from 'vitest';
import { createHttpApp } from '../../functions/http/app.ts';
import { kubeconfigFor } from '../../sim/cluster/kubeconfig.ts';
import { poolwright } from '../cli/collect.ts';
import type { TestWorld } from '../nodes/world.ts';

const token = 'a-token-of-sixteen-letters';

export interface Asked {
  code: number;
  out: string;
  err: string;
  /** What, cause and cure. */
  head: string[];
}

export interface AskedWorld {
  ask(...words: string[]): Promise<Asked>;
  /** As if the host were down. */
  askClusterAlone(...words: string[]): Promise<Asked>;
  askHostAlone(...words: string[]): Promise<Asked>;
  /** A host of the version that kept and told sentences alone. */
  askOlderHost(...words: string[]): Promise<Asked>;
}

export function useAsking(): (world: TestWorld) => Promise<AskedWorld> {
  const closing: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return async (world) => {
    const directory = mkdtempSync(join(tmpdir(), 'poolwright-explain-'));
    closing.push(() => rmSync(directory, { recursive: true, force: true }));
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, token);
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigFor(world.cluster.url));
    const start = async (as: (fetch: Fetch) => Fetch): Promise<string[]> => {
      const { url, server } = await served(world, as);
      closing.push(
        () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      );
      return ['--url', url, '--token-file', tokenFile];
    };
    const host = await start((fetch) => fetch);
    const cluster = ['--kubeconfig', kubeconfig];
    const run = async (words: string[], more: string[]): Promise<Asked> => {
      const { code, out, err } = await poolwright(...words, ...more);
      return { code, out, err, head: out.split('\n').slice(0, 3) };
    };
    return {
      ask: (...words) => run(words, [...host, ...cluster]),
      askClusterAlone: (...words) => run(words, [...cluster, '--data-dir', join(directory, 'nobody')]),
      askHostAlone: (...words) => run(words, [...host, '--kubeconfig', join(directory, 'none')]),
      askOlderHost: async (...words) => run(words, [...(await start(asOlder)), ...cluster]),
    };
  };
}

type Fetch = (request: Request) => Promise<Response> | Response;

/** How that version said what is said in other words today. */
const inOldWords = (text: string): string =>
  text
    .replace(/^(node \S+ has \d+ pods?) left to evict/, '$1 to lose')
    .replace(
      /is protected by (PodDisruptionBudget \S+), which currently allows no disruption/g,
      'is held by $1, which allows no disruption now',
    )
    .replace(/ was created as /, ' is there as ')
    .replace(/^all cloud resources are deleted; /, 'nothing is left; ');

/** It has no such route, takes no such parameter, and knows nothing of codes. */
const asOlder =
  (fetch: Fetch): Fetch =>
  async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const at = (path: string): Request => new Request(new URL(path, request.url), request);
    if (pathname.endsWith('/explain')) return fetch(at('/v1/no-such-path'));
    if (searchParams.has('event')) return fetch(at(`${pathname}?no-such-parameter=1`));
    const answer = await fetch(request);
    if (!pathname.endsWith('/decisions') || !answer.ok) return answer;
    const told = (await answer.json()) as { decisions: { text: string }[]; workflows: object[] };
    const decisions = told.decisions.map((one) => ({
      ...one,
      text: inOldWords(one.text),
      code: undefined,
      fields: undefined,
    }));
    const workflows = told.workflows.map((one) => ({ ...one, waiting: undefined }));
    return Response.json({ ...told, decisions, workflows });
  };

async function served({ services }: TestWorld, as: (fetch: Fetch) => Fetch) {
  const app = createHttpApp({
    members: () => [],
    services,
    token: () => token,
    ready: async () => ({ ready: true, checks: {} }),
    version: '1.2.3',
  });
  const fetch = as((request) => app.fetch(request));
  return new Promise<{ url: string; server: ServerType }>((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, server }),
    );
  });
}

/** Times and ids of a run that no reader cares about. */
export const steady = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replace(/\bi-[0-9a-f]{17}\b/g, '<instance>')
    .replace(/after \d+ ms/g, 'after <n> ms');
