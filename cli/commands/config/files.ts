/** Files that a configuration names and that are not there. */
import { accessSync, constants } from 'node:fs';
import { delimiter } from 'node:path';
import type { ConfigFile } from '../../../shared/config/file.ts';
import { pathFields } from '../../../shared/config/paths.ts';
import { pathText } from '../../../shared/config/problems.ts';
import type { Finding } from './finding.ts';

/** A finding about a file, and the field that names it. */
export type FileFinding = Finding & { path: string };

export function missingFiles(file: string, { value, lineOf }: ConfigFile): FileFinding[] {
  return namedFiles(value, []).flatMap(({ path, name }) => {
    const problem = unreadable(name);
    if (problem === undefined) return [];
    const message = `${pathText(path)} refers to ${name}, which ${problem}; correct the path, or create the file`;
    return [{ where: file, line: lineOf(path), message, machine: true, path: pathText(path) }];
  });
}

function namedFiles(value: unknown, path: (string | number)[]): { path: (string | number)[]; name: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const at = [...path, key];
    if (!pathFields.has(key)) return namedFiles(inner, at);
    if (Array.isArray(inner)) {
      return inner.flatMap((one: unknown, index) => filesIn(key, one).map((name) => ({ path: [...at, index], name })));
    }
    return typeof inner === 'string' ? filesIn(key, inner).map((name) => ({ path: at, name })) : namedFiles(inner, at);
  });
}

/** Where a secret is kept elsewhere, a reference stands in the place of a path; `config show` and hosts follow it. */
const reference = /(^|\/)(arn:aws|@Microsoft\.KeyVault|\$\{)/;

function filesIn(key: string, text: unknown): string[] {
  if (typeof text !== 'string' || text === '' || text.includes('-----BEGIN ') || reference.test(text)) return [];
  if (key !== 'kubeconfig') return [text];
  return text === 'default' ? [] : text.split(delimiter).filter((one) => one !== '');
}

function unreadable(name: string): string | undefined {
  try {
    accessSync(name, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(code)})`;
  }
}
