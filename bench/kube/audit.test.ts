import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { askedSince, auditMark, total } from './audit.ts';

const directory = mkdtempSync(join(tmpdir(), 'poolwright-audit-'));
const file = join(directory, 'audit.log');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const line = (verb: string, resource: string, code: number, userAgent = 'poolwright/1'): string =>
  `${JSON.stringify({ userAgent, verb, objectRef: { resource }, responseStatus: { code } })}\n`;

describe('what was asked of the API server', () => {
  it('is counted from the mark on, for one client, without watches and leases', () => {
    const before = line('create', 'nodes', 201);
    const after = [
      line('patch', 'nodes', 200),
      line('patch', 'nodes', 200),
      line('get', 'nodes', 200),
      line('watch', 'nodes', 200),
      line('patch', 'leases', 200),
      line('patch', 'nodes', 200, 'kubelet/1'),
    ];
    writeFileSync(file, before);
    const mark = auditMark(file);
    writeFileSync(file, before + after.join(''));
    const asked = askedSince(file, mark, 'poolwright');
    expect(asked).toEqual({ writes: { 'patch nodes': 2 }, reads: { 'get nodes': 1 }, conflicts: 0 });
    expect(total(asked.writes)).toBe(2);
  });

  it('tells conflicts: versions that changed, names that are taken, tests of a patch that failed', () => {
    const lines = [
      line('patch', 'nodes', 409),
      line('create', 'events', 409),
      line('delete', 'nodeclaims', 409),
      line('patch', 'nodes', 422),
      line('create', 'nodes', 422),
      line('delete', 'nodes', 404),
    ];
    writeFileSync(file, lines.join(''));
    expect(askedSince(file, 0, 'poolwright').conflicts).toBe(4);
  });
});
