import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSettings, settingsFrom } from './settings.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function aFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'poolwright-settings-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('the settings of a deployment on AWS', () => {
  it('the example can be used as it is', () => {
    const example = parse(readFileSync(join(import.meta.dirname, 'example.yml'), 'utf8'));
    expect(settingsFrom('office', example)).toMatchObject({
      deployment: 'office',
      region: 'eu-west-1',
      references: ['ssm:/poolwright/office/east-intake', 'ssm:/poolwright/office/http-token'],
      eksClusters: ['east'],
      entryClusters: ['east'],
    });
  });

  it('may be absent for the default stage, and for no other', () => {
    expect(readSettings('main', aFolder())).toMatchObject({ stage: 'main', deployment: 'main', region: 'us-east-1' });
    expect(() => readSettings('office', aFolder())).toThrow(
      /There is no infra\/aws\/office\.yml: copy infra\/aws\/example\.yml/,
    );
  });

  it('that are no YAML say so, with the name of the file', () => {
    expect(() => readSettings('office', aFolder({ 'office.yml': 'a: [' }))).toThrow(/office\.yml is not YAML/);
  });

  it('find every secret that they refer to, wherever it stands', () => {
    const { references } = settingsFrom('office', {
      variables: { POOLWRIGHT_HTTP_TOKEN: 'ssm:/a', POOLWRIGHT_LOG_LEVEL: 'debug' },
      config: {
        clusters: {
          east: { server: 'https://east.example', token: 'secretsmanager:east#token', certificateAuthority: 'ssm:/b' },
        },
      },
      secrets: ['ssm:/a', 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:x-AbCdEf'],
    });
    expect(references).toEqual([
      'arn:aws:secretsmanager:eu-west-1:111122223333:secret:x-AbCdEf',
      'secretsmanager:east#token',
      'ssm:/a',
      'ssm:/b',
    ]);
  });

  it('leave it to the watcher to give an event up, because SQS says no reason', () => {
    const settings = (maxReceives: number) =>
      settingsFrom('office', {
        config: { clusters: { east: { server: 'https://e.example' } }, queue: { maxReceives } },
      });
    expect(settings(19)).toMatchObject({ stage: 'office' });
    expect(() => settings(20)).toThrow(/config: queue\.maxReceives: must be less than 20 on AWS/);
  });

  it('let a secret be replaced without a gap: a variable may refer to several', () => {
    const [one, other] = ['a', 'b'].map(
      (name) => `arn:aws:secretsmanager:eu-west-1:111122223333:secret:${name}-123456`,
    );
    const settings = (tokens: string) =>
      settingsFrom('office', {
        config: { clusters: { east: { server: 'https://east.example' } } },
        variables: { POOLWRIGHT_CLUSTERS_EAST_INTAKE_TOKENS: tokens },
      });
    expect(settings('ssm:/old, ssm:/new').references).toEqual(['ssm:/new', 'ssm:/old']);
    expect(settings(`${one},${other}`).references).toEqual([one, other]);
    expect(() => settings('ssm:/old,a-plain-token-of-sixteen')).toThrow(
      /INTAKE_TOKENS: must be a reference to a secret/,
    );
  });

  it('let the headers for a collector be a secret, and nothing else', () => {
    const settings = (metrics: object, variables = {}) =>
      settingsFrom('office', {
        config: { clusters: { east: { server: 'https://east.example' } }, metrics },
        variables,
      });
    const otlp = { endpoint: 'https://otel.example' };
    const named = settings({ otlp }, { POOLWRIGHT_METRICS_OTLP_HEADERS: 'ssm:/otel' });
    expect(named.references).toEqual(['ssm:/otel']);
    expect(() => settings({ otlp }, { POOLWRIGHT_METRICS_OTLP_HEADERS: 'a=b' })).toThrow(
      /must be a reference to a secret/,
    );
    expect(() => settings({ otlp: { ...otlp, headers: 'a=b' } })).toThrow(
      /otlp\.headers: must be a reference to a secret/,
    );
    expect(() => settings({ otlp: { ...otlp, headers: 'ssm:/otel' } })).toThrow(/resolved only in variables/);
  });

  it('take the name of the deployment from the configuration, if it has one', () => {
    expect(settingsFrom('office', { config: { deployment: 'fleet' } })).toMatchObject({
      deployment: 'fleet',
      configText: '{"deployment":"fleet"}',
    });
  });

  it('know the clusters of EKS from the configuration, and enter those that it says to', () => {
    const settings = settingsFrom('office', {
      region: 'eu-west-1',
      eksClusters: ['other'],
      config: {
        clusters: {
          a: { access: 'eks', providers: ['aws'] },
          b: { access: 'eks', providers: ['aws'], aws: { clusterName: 'bee' } },
          c: { server: 'https://c.example', token: 'ssm:/c', providers: ['aws'], aws: { clusterName: 'sea' } },
          d: { access: 'eks', providers: ['there'] },
        },
        providers: {
          aws: { type: 'ec2', clusterName: 'ay' },
          there: { type: 'ec2', clusterName: 'dee', roleArn: 'arn:aws:iam::111122223333:role/poolwright' },
        },
      },
    });
    expect(settings).toMatchObject({
      eksClusters: ['ay', 'bee', 'dee', 'other', 'sea'],
      entryClusters: ['ay', 'bee', 'other'],
      assumeRoleArns: ['arn:aws:iam::111122223333:role/poolwright'],
    });
    expect(settingsFrom('office', { eksAccessEntries: false, eksClusters: ['other'] }).entryClusters).toEqual([]);
  });

  it('let timers tick as often as the cluster that wants it most often, and once a minute at most', () => {
    const untold = settingsFrom('office', {}).timerMinutes;
    expect(untold).toMatchObject({ ownership: 1, resync: 1, pools: 1, offerings: 5, 'garbage-collection': 2 });
    const slow = { resyncSeconds: '10m', lease: { seconds: '1h' }, garbageCollection: { everySeconds: '30m' } };
    const { timerMinutes } = settingsFrom('office', {
      config: {
        clusters: {
          a: { server: 'https://a.example', ...slow },
          b: { server: 'https://b.example', ...slow, resyncSeconds: '5m' },
        },
      },
    });
    expect(timerMinutes).toMatchObject({ ownership: 15, resync: 5, 'garbage-collection': 30 });
  });

  it('leave the configuration to a parameter of the user', () => {
    const own = settingsFrom('office', { configParameter: 'ssm:/mine' });
    expect(own.configText).toBeUndefined();
  });

  it.each([
    ['a field that does not exist', { nodeRole: [] }, /there is no field "nodeRole".*did you mean "nodeRoles"/],
    [
      'a configuration that could not be used',
      { config: { clusters: { east: { acces: 'eks' } } } },
      /config:.*clusters\.east.*acces/,
    ],
    [
      'a variable that is no field of the configuration',
      { variables: { POOLWRIGHT_LOG_LEVELS: 'debug' } },
      /POOLWRIGHT_LOG_LEVELS: is not a known variable/,
    ],
    [
      'a provider of another region',
      { region: 'eu-west-1', config: { providers: { aws: { type: 'ec2', region: 'us-east-1', clusterName: 'a' } } } },
      /providers\.aws\.region: is not the region of the deployment, eu-west-1/,
    ],
    ['a region that cannot be', { region: 'Ireland' }, /region: must be the name of a region/],
    ['a variable of somebody else', { variables: { PATH: '/' } }, /variables\.PATH: .*POOLWRIGHT_/],
    [
      'a secret in a variable',
      { variables: { POOLWRIGHT_HTTP_TOKEN: 'hunter2hunter2' } },
      /POOLWRIGHT_HTTP_TOKEN: must be a reference to a secret/,
    ],
    [
      'a secret in the configuration',
      { config: { clusters: { east: { token: 'hunter2' } } } },
      /config\.clusters\.east\.token: must be a reference to a secret/,
    ],
    [
      'a reference where no reference is followed: the token of a caller',
      { config: { http: { callers: { 'on-call': { role: 'operate', tokens: ['ssm:/a'] } } } } },
      /http\.callers\.on-call\.tokens: .*POOLWRIGHT_HTTP_CALLERS_ON_CALL_TOKENS/,
    ],
    [
      'a secret in a list',
      { config: { clusters: { east: { intake: { tokens: ['hunter2'] } } } } },
      /intake\.tokens\.0: must be a reference to a secret/,
    ],
    [
      'two configurations',
      { config: { deployment: 'a' }, configParameter: 'ssm:/b' },
      /configParameter: cannot be combined with config/,
    ],
    [
      'a configuration that fits nowhere',
      { config: { deployment: 'x'.repeat(9000) } },
      /config: has \d+ bytes.*put it into a secret/,
    ],
    [
      'a reference to nothing',
      { secrets: ['east-token'] },
      /secrets\.0: must be a reference to a secret: "ssm:\/path"/,
    ],
    ['half a network', { vpc: { subnetIds: ['subnet-1'], securityGroupIds: [] } }, /vpc\.securityGroupIds/],
    ['a function that does not exist', { reservedConcurrency: { watch: 1 } }, /reservedConcurrency/],
  ])('refuse %s', (_, content, message) => {
    expect(() => settingsFrom('office', content)).toThrow(message);
    expect(() => settingsFrom('office', content)).toThrow(/^infra\/aws\/office\.yml is invalid:/);
  });

  it('repeat no secret in what they say', () => {
    expect(() => settingsFrom('office', { variables: { POOLWRIGHT_HTTP_TOKEN: 'hunter2hunter2' } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
