/**
 * Packages serverless.yml by osls in a folder of its own, with empty packages for the functions: what matters here is the template. As on
 * a machine without an account: no credentials, no home, and addresses that lead nowhere.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { functionNames } from '../../infra/aws/function-names.ts';
import { zipFolder } from '../../scripts/package/zip.ts';

const repository = join(import.meta.dirname, '../..');

export interface Resource {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties: Record<string, unknown>;
}

export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

export interface Packaged {
  text: string;
  template: Template;
  file: string;
  remove(): void;
}

export class PackagingFailed extends Error {}

/** @param settings The text of `infra/aws/<stage>.yml`; the file is not there when absent. */
export async function packageTemplate(stage: string, settings?: string): Promise<Packaged> {
  mkdirSync(join(repository, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(repository, '.tmp/aws-template-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(join(repository, 'serverless.yml'), join(folder, 'serverless.yml'));
    cpSync(join(repository, 'infra/aws'), join(folder, 'infra/aws'), { recursive: true });
    for (const name of ['functions', 'shared']) symlinkSync(join(repository, name), join(folder, name));
    if (settings !== undefined) writeFileSync(join(folder, `infra/aws/${stage}.yml`), settings);
    mkdirSync(join(folder, 'code'));
    writeFileSync(join(folder, 'code/index.mjs'), 'export const handler = async () => {};\n');
    mkdirSync(join(folder, 'dist/aws'), { recursive: true });
    for (const name of functionNames)
      writeFileSync(join(folder, `dist/aws/${name}.zip`), zipFolder(join(folder, 'code')));
    await osls(folder, stage);
    const file = join(folder, '.serverless/cloudformation-template-update-stack.json');
    const text = readFileSync(file, 'utf8');
    return { text, template: JSON.parse(text), file, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function osls(folder: string, stage: string): Promise<void> {
  const nowhere = 'http://127.0.0.1:9';
  const child = spawn(
    process.execPath,
    [join(repository, 'scripts/osls/node_modules/osls/bin/serverless.js'), 'package', '--stage', stage],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        SLS_TELEMETRY_DISABLED: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new PackagingFailed(output);
}
