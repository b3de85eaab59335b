/** A configuration file as plain data that still knows on which line each value stands. JSON is YAML, so one reader does. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from 'yaml';
import { withAbsolutePaths } from './paths.ts';

export interface ConfigFile {
  value: unknown;
  /** The line of the value at this path, of its key if `key` is set, or of the nearest thing around it. */
  lineOf(path: readonly PropertyKey[], key?: boolean): number;
}

export type ConfigFileResult =
  | { ok: true; file: ConfigFile }
  | { ok: false; problems: { where: string; line?: number; message: string }[] };

/** A configuration that stands in no file, such as in an app setting; `name` is what its problems are told under. */
export interface ConfigText {
  name: string;
  text: string;
  /** Where its relative paths begin. */
  folder: string;
}

export function readConfigFile(name: string): ConfigFileResult {
  try {
    return readConfigText({ name, text: readFileSync(name, 'utf8'), folder: dirname(name) });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const message = `the file cannot be read (${code}); check the path and the file permissions`;
    return { ok: false, problems: [{ where: name, message }] };
  }
}

export function readConfigText({ name, text, folder }: ConfigText): ConfigFileResult {
  const lines = new LineCounter();
  // Without pretty errors the parser does not quote the line, which might hold a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => {
      const [start] = error.pos;
      const message = syntaxText(error, text);
      return { where: name, line: lines.linePos(start).line, message };
    });
    return { ok: false, problems };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 }) as unknown;
    // An anchor that holds its own alias makes a value without an end, which this refuses.
    JSON.stringify(value);
  } catch (error) {
    const [, alias] = /^Unresolved alias .*: (\S+)$/.exec(error instanceof Error ? error.message : '') ?? [];
    const problem =
      alias !== undefined
        ? `has the alias *${alias} without an anchor &${alias}`
        : error instanceof TypeError
          ? 'has a YAML anchor that contains its own alias'
          : 'uses too many YAML aliases';
    return { ok: false, problems: [{ where: name, message: `the file ${problem}` }] };
  }
  return { ok: true, file: { value: withAbsolutePaths(value, folder), lineOf: lineFinder(document, lines) } };
}

/** On which line of its file something in a document stands. */
export function lineFinder(document: Document, lines: LineCounter): ConfigFile['lineOf'] {
  const lineAt = (node: Node | null | undefined): number | undefined =>
    node?.range === undefined || node.range === null ? undefined : lines.linePos(node.range[0]).line;

  return (path, key = false) => {
    let at: unknown = document.contents;
    let line = lineAt(document.contents) ?? 1;
    for (const [index, part] of path.entries()) {
      if (isMap(at)) {
        const pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
        if (pair === undefined) break;
        const keyLine = isScalar(pair.key) ? lineAt(pair.key) : undefined;
        at = pair.value;
        // The value of a map or list begins below its key, and people look for the key.
        const wantKey = isMap(at) || isSeq(at) || (key && index === path.length - 1);
        line = (wantKey ? keyLine : lineAt(at as Node | null)) ?? keyLine ?? line;
      } else if (isSeq(at)) {
        at = at.items[Number(part)];
        line = lineAt(at as Node | undefined) ?? line;
      } else break;
    }
    return line;
  };
}

/** The parser speaks to programmers. */
export function syntaxText({ code, message, pos }: YAMLError, text: string): string {
  if (code === 'DUPLICATE_KEY') return twice(text, pos[0]);
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here (---); a configuration is one document';
  return /call stack|Stack overflow/.test(message) ? 'is nested too deeply' : message;
}

/** Of the line only the key is shown: what stands behind it might be a secret. */
function twice(text: string, keyStart: number): string {
  const key = /^["']?([\w./-]{1,100})/.exec(text.slice(keyStart))?.[1];
  const what = key === undefined ? 'a name' : `"${key}"`;
  return `${what} occurs twice; clusters, providers and fields need different names: remove or rename one`;
}
