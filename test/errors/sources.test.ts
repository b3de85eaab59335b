/** The catalog of errors, held against the sources: no code without an entry, and no entry that nobody uses. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventCatalog } from '../../shared/nodes/steps/report/event-catalog.ts';
import { errors, findError } from '../../shared/observe/errors/catalog.ts';
import { codeOfKind, kindOfCode } from '../../shared/observe/errors/code-of-kind.ts';
import type { Surface } from '../../shared/observe/errors/entry.ts';
import { logEvents } from '../../shared/observe/log/events.ts';

const root = join(import.meta.dirname, '../..');

const read = (...patterns: string[]): { file: string; text: string }[] =>
  globSync(patterns, { cwd: root })
    .filter((file) => !/\.test\.ts$|^shared\/observe\/errors\/|event-catalog\.ts$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const sources = read('cli/**/*.ts', 'functions/**/*.ts', 'shared/**/*.ts');
const all = sources.map(({ text }) => text).join('\n');

const codesSeenIn = (place: Surface): string[] =>
  Object.entries(errors).flatMap(([code, { seen }]) => (seen.includes(place) ? [code] : []));

describe('problems of the HTTP API', () => {
  const http = read('functions/http/**/*.ts');
  const kinds = new Set(
    http.flatMap(({ text }) => [
      ...[...text.matchAll(/\bproblem\(\s*c,\s*[\w.]+,\s*'([a-z-]+)'/g)].map(([, kind = '']) => kind),
      ...[...text.matchAll(/\bstatus: \d+, kind: '([a-z-]+)'/g)].map(([, kind = '']) => kind),
    ]),
  );
  // Made of the kind of what is unknown.
  for (const target of ['cluster', 'provider']) kinds.add(`unknown-${target}`);

  it('are all in the catalog', () => {
    expect(kinds.size).toBeGreaterThan(20);
    const missing = [...kinds].filter((kind) => !findError(codeOfKind(kind))?.seen.includes('http'));
    expect(missing).toEqual([]);
  });

  it('are all there that the catalog says are seen there', () => {
    expect(codesSeenIn('http').filter((code) => !kinds.has(kindOfCode(code)))).toEqual([]);
  });
});

describe('reasons of conditions and Events', () => {
  /** Nothing is wrong then: a step of an ordinary life, or news. */
  const fine = new Set(['Launching', 'Relaunching', 'ReconcilingDependents', 'Draining', 'Deleting', 'Drifted']);
  /** Words beside a reason on the same line that are something else. */
  const otherWords =
    /^(True|False|Unknown|Normal|Warning|Ready|Node|NodePool|NodeClaim|NodeRegistrationHealthy|NoSuchEntity)$/;
  const says =
    /\b[rR]easons?\b|\bwait\(|\bfail\(|setWaitingCondition\(|emitEvent(Throttled)?\(|\b(launched|terminating|whileDeleting|warning)\(/;

  const written = read(
    'shared/{nodes,ownership,providers,platforms}/**/*.ts',
    'shared/nodes/claims/decisions.ts',
  ).flatMap(({ file, text }) =>
    text
      .split('\n')
      .filter((line) => says.test(line) && !/^\s*(\*|\/\/)/.test(line) && !file.endsWith('error-rules.ts'))
      .flatMap((line) => [...line.matchAll(/'([A-Z][A-Za-z]{3,})'/g)].map(([, word = '']) => word))
      .filter((word) => !otherWords.test(word)),
  );

  it('are all in the catalog, or no error', () => {
    expect(new Set(written).size).toBeGreaterThan(50);
    const missing = new Set(written.filter((word) => !findError(word) && !fine.has(word) && !eventCatalog[word]));
    expect([...missing]).toEqual([]);
  });

  it('are Events exactly where the catalog says so', () => {
    const warned = Object.keys(eventCatalog).filter((reason) => findError(reason));
    expect(codesSeenIn('event').sort()).toEqual(warned.sort());
  });

  it('warn of nothing that the catalog does not have', () => {
    const untold = Object.entries(eventCatalog).filter(
      ([reason, { type }]) => type === 'Warning' && !findError(reason),
    );
    expect(untold).toEqual([]);
  });
});

describe('errors of commands', () => {
  const cli = read('cli/**/*.ts');

  it('all have a code', () => {
    const without = cli.flatMap(({ file, text }) =>
      [...text.matchAll(/new (?:UserError|HostProblem)\(/g)].flatMap(({ index }) => {
        const call = argumentsAt(text, text.indexOf('(', index));
        return /\bcode\b|\bmore\b|^\(kind|\.\.\./.test(call) || call.startsWith('(String(type)')
          ? []
          : [`${file}: ${call}`];
      }),
    );
    expect(without).toEqual([]);
  });

  it('have codes that the catalog has', () => {
    const used = cli.flatMap(({ text }) => [...text.matchAll(/\bcode: '([A-Z]\w+)'/g)].map(([, code = '']) => code));
    expect(used.length).toBeGreaterThan(30);
    expect([...new Set(used.filter((code) => !findError(code)))]).toEqual([]);
  });
});

describe('lines of the log', () => {
  const codes = new Set(Object.values(logEvents).flatMap(({ code }) => (code === undefined ? [] : [code])));

  it('have codes that say so', () => {
    expect([...codes].filter((code) => code !== 'reason' && !errors[code].seen.includes('log'))).toEqual([]);
  });
});

describe('the codes of checks', () => {
  const checks = read(
    'functions/**/*check*.ts',
    'functions/http/routes/status/checks/**/*.ts',
    'shared/**/*check*.ts',
    'cli/commands/doctor/**/*.ts',
  );
  const used = checks.flatMap(({ text }) => [...text.matchAll(/\bcode: '([A-Z]\w+)'/g)].map(([, code = '']) => code));

  it('are all in the catalog', () => {
    expect([...new Set(used.filter((code) => !findError(code)))]).toEqual([]);
  });
});

/** Made of the kind of what is unknown. */
const madeUp = ['UnknownProvider'];

it.each(Object.keys(errors).filter((code) => !madeUp.includes(code)))('%s is used somewhere', (code) => {
  expect(all.includes(`'${code}'`) || all.includes(`'${kindOfCode(code)}'`) || all.includes(`${code}: '`)).toBe(true);
});

/** From the opening parenthesis to the one that closes it. Good enough for our own calls. */
function argumentsAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(start, at + 1);
  }
  return text.slice(start);
}
