/** What AWS publishes about its resources, held against the template: names of properties, their values, and what refers to what. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { getPythonParts } from '../aws/python-parts.ts';
import { packageTemplate } from './package-template.ts';

const run = promisify(execFile);

/** osls says twice that one resource waits for another. It does no harm, and it is not ours to change. */
const ofOsls = ['W3005'];

const everything = `
region: eu-west-1
eksClusters: [east, west]
nodeRoles: [node]
alarmTopicArn: arn:aws:sns:eu-west-1:111122223333:alarms
assumeRoleArns: [arn:aws:iam::111122223333:role/poolwright]
keyArns: [arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-3333-4444-555555555555]
vpc: { subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0] }
reservedConcurrency: { http: 10, workflows: 100 }
configParameter: secretsmanager:poolwright/config
secrets: ['secretsmanager:east/token#token', 'ssm:/poolwright/office/ca']
`;

it('cfn-lint finds nothing wrong with the template, and would', async () => {
  const program = (await getPythonParts()).program('cfn-lint');
  const [small, big] = await Promise.all([packageTemplate('main'), packageTemplate('office', everything)]);
  try {
    const wrong = `${small.file}.wrong.json`;
    writeFileSync(wrong, small.text.replace('"nodejs24.x"', '"nodejs4.x"'));
    // One run for all: to start takes it longer than to look.
    const args = ['--format', 'parseable', ...ofOsls.flatMap((rule) => ['--ignore-checks', rule]), '--'];
    const complaints = await run(program, [...args, small.file, big.file, wrong]).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string; message: string }) => error.stdout || error.message,
    );
    const lines = complaints.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith(wrong))).toEqual([]);
    expect(lines.join()).toContain('nodejs4.x');
  } finally {
    small.remove();
    big.remove();
  }
}, 300_000);
