/** `poolwright start` as a person gets it: in a process of its own, without a configuration. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { poolwright } from './collect.ts';

const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));
const example = new URL('../../docs/examples/first-claim.yaml', import.meta.url);

interface Started {
  child: ChildProcess;
  out(): string;
  err(): string;
  ended: Promise<number | null>;
}

let directory = '';
const children: ChildProcess[] = [];
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'poolwright-start-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<Started> {
  const args = [cli, 'start', '--data-dir', directory, '--http-port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString('utf8');
      if (err.includes('Press Ctrl-C to stop')) resolve();
    });
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${err}`)));
  });
  return { child, out: () => out, err: () => err, ended };
}

async function applyExample(cluster: string): Promise<void> {
  const paths: Record<string, string> = {
    SimNodeClass: '/apis/poolwright.dev/v1alpha1/simnodeclasses',
    NodeClaim: '/apis/karpenter.sh/v1/nodeclaims',
  };
  for (const document of parseAllDocuments(readFileSync(example, 'utf8'))) {
    const object = document.toJS();
    const answer = await fetch(cluster + paths[object.kind], {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    expect(answer.status).toBe(201);
  }
}

test('the first five minutes: a banner, a claim, an explanation, a stop, and a start that goes on', async () => {
  const first = await start();
  const [, cluster = ''] = /Kubernetes API {2}(http:\S+)/.exec(first.err()) ?? [];
  expect(first.err()).toContain('Poolwright 0.1.0 is up.');
  expect(first.err()).toContain(`${directory}/kubeconfig apply -f docs/examples/first-claim.yaml`);
  expect(statSync(join(directory, 'token')).mode & 0o777).toBe(0o600);

  await applyExample(cluster);
  // The real clock of another process can't be moved: this waits for what it says, not for a time.
  let explained = await poolwright('explain', 'first', '-d', directory);
  const isOver = (text: string): boolean =>
    text.includes('fix    none needed') && text.includes('Now: no workflow is running for it.');
  while (!isOver(explained.out)) {
    await pause(100);
    explained = await poolwright('explain', 'first', '-d', directory);
  }
  for (const step of ['choose', 'create', 'ready']) expect(explained.out).toContain(`  ${step}`);

  const second = await poolwright('start', '-d', directory, '--http-port', '0');
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining('is in use by another Poolwright') });

  first.child.kill('SIGINT');
  expect(await first.ended).toBe(0);
  expect(first.err()).toContain('Stopping after the running steps finish.');
  // Whoever pipes the log gets lines of JSON and nothing else.
  const events = first
    .out()
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toContain('claim.ready');
  expect(events.at(-1)).toBe('host.stopped');

  const again = await start();
  expect(again.err()).toContain(cluster);
  const remembered = await poolwright('explain', 'first', '-d', directory);
  // Its age is another one.
  const withoutState = (text: string): string => text.slice(text.indexOf('\n'));
  expect(withoutState(remembered.out)).toBe(withoutState(explained.out));
  again.child.kill('SIGTERM');
  expect(await again.ended).toBe(0);
});
