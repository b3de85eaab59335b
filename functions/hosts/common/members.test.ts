import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { silentLog } from '../../../shared/observe/log/log.ts';
import { auditSettings, membersOf } from './members.ts';

const configured = (env: Record<string, string>) => {
  const loaded = loadConfig(undefined, env);
  if (!loaded.ok) throw new Error(loaded.text);
  return loaded.config;
};
const file = join(mkdtempSync(join(tmpdir(), 'poolwright-members-')), 'tokens');

it('takes callers from variables, with the tokens of their files as these are now', () => {
  writeFileSync(file, 'a-token-of-sixteen\n');
  const config = configured({
    POOLWRIGHT_HTTP_CALLERS_GRAFANA_ROLE: 'read',
    POOLWRIGHT_HTTP_CALLERS_GRAFANA_TOKENS: 'another-token-of-it, a-third-token-of-it',
    POOLWRIGHT_HTTP_CALLERS_ON_CALL_ROLE: 'operate',
    POOLWRIGHT_HTTP_CALLERS_ON_CALL_TEAM: 'platform',
    POOLWRIGHT_HTTP_CALLERS_ON_CALL_TOKEN_FILES: file,
  });
  const members = membersOf(config, silentLog);
  if (!members.ok) throw new Error(members.error.message);

  expect(members.value.map(({ tokens, ...member }) => ({ ...member, tokens: tokens() }))).toEqual([
    { name: 'grafana', role: 'read', tokens: ['another-token-of-it', 'a-third-token-of-it'] },
    { name: 'on-call', role: 'operate', team: 'platform', tokens: ['a-token-of-sixteen'] },
  ]);
  writeFileSync(file, 'the-next-token-of-this-caller\n');
  expect(members.value[1]?.tokens()).toEqual(['the-next-token-of-this-caller']);
});

it('names the field of a file that can not be used, and nothing of its content', () => {
  writeFileSync(file, 'too-short\n');
  const env = { POOLWRIGHT_HTTP_CALLERS_A_ROLE: 'read', POOLWRIGHT_HTTP_CALLERS_A_TOKEN_FILES: file };
  expect(membersOf(configured(env), silentLog)).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/^http\.callers\.a\.tokenFiles: (?!.*too-short)/) },
  });
});

it('keeps the audit log for 90 days', () => {
  expect(auditSettings(configured({}))).toEqual({ keepSeconds: 90 * 86_400, max: 1000 });
});
