import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const cli = fileURLToPath(new URL('../../cli/poolwright.js', import.meta.url));

interface Ended {
  code: number | null;
  out: string;
}

/** With a temporary directory of its own, so that it can be seen what the demo leaves there. */
async function runDemo(
  onText: (text: string, stop: () => void) => void,
  args: readonly string[] = [],
): Promise<Ended & { left: string[] }> {
  const temporary = mkdtempSync(join(tmpdir(), 'poolwright-test-'));
  try {
    const child = spawn(process.execPath, [cli, 'demo', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: temporary },
    });
    let out = '';
    const take = (chunk: Buffer): void => {
      out += chunk.toString('utf8');
      onText(out, () => child.kill('SIGINT'));
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out, left: readdirSync(temporary) };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const pidsIn = (text: string): number[] => [...text.matchAll(/as process (\d+)/g)].map(([, pid]) => Number(pid));

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const ofClaims = {
  said: [
    'web-1, db-1 and batch-1 are Ready',
    'was out of capacity; web-2 and web-3 got',
    'was killed with kill -9 during the create',
    'all 8 claims are Ready: 8 nodes, 8 instances',
    'no second instance was created',
  ],
  proved: ['0  claims left', '0  nodes left', '0  instances running', '8  instances ever created', '0  times'],
};
const ofClusters = {
  said: [
    'was killed with kill -9 while Azure made shop',
    'team-a/lab  VcpuQuotaTooSmall at ManagedCluster',
    'cause  ManagedCluster has been waiting',
    'fix    request a higher quota',
    'Azure has one cluster of that name',
    'the static pool of shop has 2 Ready nodes',
    'both requests are gone, and everything in Azure with them',
  ],
  proved: ['0  requests left', '0  resources left', '0  machines left', '2  clusters ever made', '0  times'],
};

test.each([
  [[], ofClaims],
  [['--provider', 'aks'], ofClaims],
  [['--provider', 'arc'], ofClaims],
  [['--provider', 'ec2'], ofClaims],
  [['--provider', 'cloudstack'], ofClaims],
  [['--clusters'], ofClusters],
])(
  'the demo %j tells the whole story in plain lines, proves that nothing is left, and leaves nothing',
  async (args, { said, proved }) => {
    const { code, out, left } = await runDemo(() => undefined, args);

    expect(out).toContain('Nothing is left running. All checks passed');
    expect(code).toBe(0);
    for (const part of said) expect(out).toMatch(new RegExp(`ok .*${part}`));
    for (const line of proved) expect(out).toContain(line);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('FAILED');
    expect(left).toEqual([]);
    expect(pidsIn(out)).toHaveLength(2);
    expect(pidsIn(out).filter(runs)).toEqual([]);
  },
);

test('a demo that is stopped in the middle leaves no process and no file', async () => {
  const { code, out, left } = await runDemo((text, stop) => {
    if (text.includes('claims are created')) stop();
  });

  expect(out).toContain('Stopped.');
  expect(code).toBe(130);
  expect(left).toEqual([]);
  expect(pidsIn(out)).toHaveLength(1);
  expect(pidsIn(out).filter(runs)).toEqual([]);
});

test('a demo whose host dies by itself says so, fails, and keeps the logs', async () => {
  let killed = false;
  const { code, out, left } = await runDemo((text) => {
    const [host] = pidsIn(text);
    if (killed || host === undefined || !text.includes('claims are created')) return;
    killed = true;
    process.kill(host, 'SIGKILL');
  });

  expect(out).toContain('The demo failed: the host exited unexpectedly (SIGKILL)');
  expect(out).toMatch(/The logs are in .*poolwright-demo-/);
  expect(code).toBe(1);
  expect(left).toHaveLength(1);
});
