/** Manifests as kubectl reads them, which still know on which line each value stands: files, several documents in one, lists. */

import { readFileSync } from 'node:fs';
import { text as wholeText } from 'node:stream/consumers';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
} from 'yaml';
import { isObject } from '../../../shared/base/json.ts';
import { syntaxText } from '../../../shared/config/file.ts';
import { UserError } from '../../terminal/user-error.ts';

export interface Manifest {
  /** As it was named; `stdin` for what came through a pipe. */
  file: string;
  line: number;
  object: { [field: string]: unknown };
  /** The line of a field such as `spec.requirements[2].values`, or of the nearest thing around it. */
  lineOf(path: string): number;
}

/** Every problem of every file at once. */
export async function readManifests(
  files: readonly string[],
  stdin: () => Promise<string> = () => wholeText(process.stdin),
): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const text = file === '-' ? await stdin() : readFile(file);
    const read = parseManifests(file === '-' ? 'stdin' : file, text);
    manifests.push(...read.manifests);
    problems.push(...read.problems);
  }
  if (problems.length > 0) throw new UserError(problems.join('\n'), { code: 'InvalidManifest' });
  return manifests;
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UserError(`${file}: the file cannot be read (${code}).`, {
      code: 'FileUnreadable',
    });
  }
}

export function parseManifests(file: string, text: string): { manifests: Manifest[]; problems: string[] } {
  const lines = new LineCounter();
  // Without pretty errors the parser does not quote the line, which might hold a secret.
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  // Nothing at all comes as an object that is no list.
  for (const document of Array.isArray(documents) ? documents : []) {
    if (document.errors.length > 0) {
      problems.push(
        ...document.errors.map((error) => `${file}:${lines.linePos(error.pos[0]).line}: ${syntaxText(error, text)}`),
      );
      continue;
    }
    const value = readDocument(document);
    const at = (path: Path): number => lineAt(document, lines, path);
    if (value === null) continue;
    if (!isObject(value)) {
      const what = value === unreadable ? 'uses YAML aliases in an invalid way' : 'is not a Kubernetes object';
      problems.push(`${file}:${at([])}: this document ${what}`);
      continue;
    }
    const { kind, items } = value;
    if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) {
      manifests.push({ file, line: at([]), object: value, lineOf: (path) => at(partsOf(path)) });
      continue;
    }
    for (const [index, item] of items.entries()) {
      const above: Path = ['items', index];
      if (!isObject(item)) problems.push(`${file}:${at(above)}: items[${index}] is not a Kubernetes object`);
      else manifests.push({ file, line: at(above), object: item, lineOf: (path) => at([...above, ...partsOf(path)]) });
    }
  }
  return { manifests, problems };
}

const unreadable = Symbol('unreadable');

function readDocument(document: Document.Parsed): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // An anchor that holds its own alias makes a value without an end, which this refuses.
    JSON.stringify(value);
    return value;
  } catch {
    return unreadable;
  }
}

type Path = readonly (string | number)[];

/** `spec.requirements[2].values`, `metadata.annotations["a.b/c"]`. */
function partsOf(path: string): Path {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  );
}

function lineAt({ contents }: { contents: ParsedNode | null }, lines: LineCounter, path: Path): number {
  const lineOf = (node: Node | null | undefined): number | undefined =>
    node?.range ? lines.linePos(node.range[0]).line : undefined;
  let at: unknown = contents;
  let line = lineOf(contents) ?? 1;
  for (const part of path) {
    if (isMap(at)) {
      const pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (pair === undefined) break;
      // The value of a map or list begins below its key, and people look for the key.
      line = lineOf(isScalar(pair.key) ? pair.key : undefined) ?? line;
      at = pair.value;
    } else if (isSeq(at)) {
      const item = at.items[Number(part)] as Node | undefined;
      if (item === undefined) break;
      line = lineOf(item) ?? line;
      at = item;
    } else break;
  }
  return line;
}
