/** Answers that others recorded: in the tests of cloudstack-go and in the fixtures of apache-libcloud. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../shared/base/json.ts';

export interface Recorded {
  source: string;
  command: string;
  body: JsonObject;
}

/** One file for each service: by command, the object that is named after its answer. */
export function recordedInGo(goModule: string): Recorded[] {
  const directory = join(goModule, 'test/testdata');
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) =>
      Object.entries(readJson(join(directory, file))).flatMap(([command, answer]) =>
        inner(answer).map((body) => ({ source: `${file} ${command}`, command, body })),
      ),
    );
}

/** One file for each answer, named after the command. */
export function recordedInLibcloud(python: string): Recorded[] {
  const library = join(python, '../../lib');
  const [version = ''] = readdirSync(library).filter((name) => name.startsWith('python3'));
  const directory = join(library, version, 'site-packages/libcloud/test/compute/fixtures/cloudstack');
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) =>
      inner(readJson(join(directory, file))).map((body) => ({ source: file, command: file.split('_')[0] ?? '', body })),
    );
}

const readJson = (file: string): JsonObject => JSON.parse(readFileSync(file, 'utf8')) as JsonObject;

function inner(answer: Json | undefined): JsonObject[] {
  const [body] = Object.values(isObject(answer) ? answer : {});
  return isObject(body) ? [body] : [];
}

/** Each field by its path, and which kinds of values it has. Of maps with free keys, only that they are maps. */
export function shapeOf(value: Json, path = '', found = new Map<string, Set<string>>()): Map<string, Set<string>> {
  if (Array.isArray(value)) {
    note(found, path, 'list');
    for (const one of value) shapeOf(one, `${path}[]`, found);
  } else if (isObject(value)) {
    note(found, path, 'object');
    if (/details$/.test(path)) return found;
    for (const [name, one] of Object.entries(value)) shapeOf(one, path === '' ? name : `${path}.${name}`, found);
  } else {
    note(found, path, value === null ? 'null' : typeof value);
  }
  return found;
}

function note(found: Map<string, Set<string>>, path: string, kind: string): void {
  const known = found.get(path);
  if (known === undefined) found.set(path, new Set([kind]));
  else known.add(kind);
}
