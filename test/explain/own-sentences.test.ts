/**
 * No code reads a sentence of ours: every pattern in the product is held against every sentence of the catalog of decisions and of the
 * catalog of errors. Their words can be changed then, and nothing else changes with them.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { type DecisionCode, decisionCatalog, decisionText } from '../../shared/nodes/steps/report/decision-catalog.ts';
import { errors } from '../../shared/observe/errors/catalog.ts';
import { sampleDecisions } from '../english/sample-decisions.ts';

const root = join(import.meta.dirname, '../..');

/** They read words that are not of this version, and nothing else. */
const mayRead: ReadonlySet<string> = new Set([
  // What an older version has written.
  'shared/explain/old-records.ts',
  // What the API server says.
  'shared/kube/client/status.ts',
  'shared/nodes/terminate/drain/wording.ts',
  // What clouds and hypervisors say.
  'shared/drivers/grpc/plain-errors.ts',
  'shared/platforms/azure/error-rules.ts',
  'shared/platforms/cloudstack/errors.ts',
  'shared/platforms/cloudstack/said.ts',
  'shared/drivers/grpc/plain-errors.ts',
  'shared/providers/ec2/calls/unauthorised.ts',
  'shared/queue/sqs/client.ts',
]);

const textsOf = <Code extends DecisionCode>(code: Code): string[] =>
  sampleDecisions[code].map((fields) => decisionText(code, fields));
const textOf = <Code extends DecisionCode>(code: Code): string => decisionText(code, sampleDecisions[code][0]);

const decisions = (Object.keys(decisionCatalog) as DecisionCode[]).flatMap(textsOf);
const sentences = [...decisions, ...Object.values(errors).flatMap(({ cause, cure }) => [cause, cure])];

/** Two words next to each other: what has fewer is a name, a number or a sign. */
const isWords = (text: string): boolean => /[a-z]{2,} [a-z]{2,}/.test(text);

const lookups: ReadonlySet<string> = new Set(['includes', 'startsWith', 'endsWith', 'indexOf', 'split', 'replace']);

/** What a file looks for in texts, as predicates over a sentence. */
function looksIn(file: string, code: string): { text: string; finds(sentence: string): boolean }[] {
  const found: { text: string; finds(sentence: string): boolean }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      const pattern = new RegExp(source, flags.replace(/[gy]/g, ''));
      // One that finds everything reads nothing.
      if (isWords(source) && !pattern.test('')) found.push({ text: node.text, finds: (one) => pattern.test(one) });
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [first] = node.arguments;
      const isLookup = lookups.has(node.expression.name.text);
      if (isLookup && first && ts.isStringLiteralLike(first) && isWords(first.text)) {
        const { text } = first;
        found.push({ text, finds: (one) => one.includes(text) });
      }
    }
    if (ts.isBinaryExpression(node) && ts.isStringLiteralLike(node.right) && isWords(node.right.text)) {
      const isEqual = node.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken;
      const { text } = node.right;
      if (isEqual) found.push({ text, finds: (one) => one === text });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest));
  return found;
}

const reads = (file: string, code: string): string[] =>
  looksIn(file, code).flatMap(({ text, finds }) => {
    const sentence = sentences.find(finds);
    return sentence === undefined ? [] : [`${file}: ${text} reads "${sentence}"`];
  });

test('no code of the product reads a sentence that the product writes', () => {
  const files = globSync(['cli/**/*.ts', 'events/**/*.ts', 'functions/**/*.ts', 'shared/**/*.ts'], { cwd: root });
  const sources = files.filter((file) => !file.endsWith('.test.ts') && !mayRead.has(file));
  expect(sources.length).toBeGreaterThan(500);

  expect(sources.flatMap((file) => reads(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test.each([
  ['/is being created$|was created as |adopted it$/.test(text)', 'create-begun'],
  ["said.text.includes('the host leaves it alone')", 'left-alone'],
  ["text.startsWith('all cloud resources are deleted; ')", 'released'],
  ["text === 'node n-1 is ready'", 'node-ready'],
  [String.raw`/PodDisruptionBudget (\S+), which currently allows/.exec(text)`, 'draining'],
] as const)('%s would be found', (code, decision) => {
  expect(reads('a.ts', code)).toEqual([expect.stringContaining(textOf(decision).slice(0, 20))]);
});
