import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeUserData } from './user-data.ts';

const limits = { most: 400, because: 'vm.userdata.max.length of CloudStack' };
const field = 'spec.userData';

describe('user data on its way to a cloud', () => {
  it('stays readable while it fits', () => {
    expect(encodeUserData('#!/bin/sh\necho ü\n', limits, field)).toEqual({
      ok: true,
      value: { base64: Buffer.from('#!/bin/sh\necho ü\n').toString('base64'), packed: false },
    });
    const exact = `#${'a'.repeat(299)}`;
    expect(encodeUserData(exact, limits, field)).toMatchObject({ ok: true, value: { packed: false } });
  });

  it('is packed for cloud-init when it would be too long', () => {
    const text = `#cloud-config\n${'runcmd: [echo]\n'.repeat(100)}`;
    const made = encodeUserData(text, limits, field);
    if (!made.ok) expect.fail(made.error.message);
    expect(made.value.packed).toBe(true);
    expect(gunzipSync(Buffer.from(made.value.base64, 'base64')).toString()).toBe(text);
  });

  it('is never packed for what is not known to unpack', () => {
    const made = encodeUserData(`{"ignition":{"version":"3.4.0"}}${' '.repeat(400)}`, limits, field);
    expect(made).toMatchObject({ ok: false, error: { kind: 'invalid', about: 'node-class' } });
    if (!made.ok) expect(made.error.message).toContain("can't be sent as gzip");
  });

  it('says by how much it is too long, and whose limit it is', () => {
    const made = encodeUserData(`#!/bin/sh\n${randomBytes(2000).toString('hex')}`, limits, field);
    expect(made).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    if (made.ok) return;
    expect(made.error.message).toMatch(
      /^spec\.userData is too long: \d+ characters in base64, \d+ as gzip; at most 400/,
    );
    expect(made.error.message).toContain('vm.userdata.max.length');
  });
});
