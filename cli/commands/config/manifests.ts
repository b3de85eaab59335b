/** What is wrong with NodeClaims, NodePools and node classes in a file, as the cluster and the host would say later. */
import { readFileSync } from 'node:fs';
import { LineCounter, parseAllDocuments } from 'yaml';
import type { Problem } from '../../../shared/base/problems.ts';
import { lineFinder, syntaxText } from '../../../shared/config/file.ts';
import { kindDefinitions } from '../../../shared/providers/definitions.ts';
import { type Finding, pathParts } from './finding.ts';
import { objectProblems } from './objects.ts';

export async function manifestFindings(file: string): Promise<Finding[]> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return [{ where: file, message: `the file cannot be read (${code}); check the path and the file permissions` }];
  }
  const definitions = await kindDefinitions();
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  if ('empty' in documents) return [{ where: file, message: 'the file is empty' }];
  const findings: Finding[] = [];
  for (const document of documents) {
    findings.push(
      ...document.errors.map((error) => ({
        where: file,
        line: lines.linePos(error.pos[0]).line,
        message: syntaxText(error, text),
      })),
    );
    if (document.errors.length > 0) continue;
    const line = lines.linePos(document.range[0]).line;
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
      // An anchor that holds its own alias makes a value without an end, which this refuses.
      JSON.stringify(value);
    } catch {
      findings.push({
        where: file,
        line,
        message: 'has too many YAML aliases, an alias without an anchor, or an alias inside its own anchor',
      });
      continue;
    }
    // Nothing between two lines of dashes.
    if (value === null) continue;
    const lineOf = lineFinder(document, lines);
    const finding = ({ path, message }: Problem): Finding => {
      const line = lineOf(pathParts(path), true);
      return { where: file, line, message: path === '' ? message : `${path}: ${message}` };
    };
    findings.push(...objectProblems(value, definitions).map(finding));
  }
  return findings.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}
