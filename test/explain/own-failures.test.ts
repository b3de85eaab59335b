/**
 * No code decides by the words of a failure, a condition or a decision. Whoever looks into a text that may be ours is found here by its
 * names: `.message`, `.cause`, `.why` and the like, what is made of them in the same file, and the parameters that they are handed to.
 * Only files that read the words of others, where those enter, are excepted.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Whose words each of them reads. */
const mayRead: Readonly<Record<string, string>> = {
  'functions/hosts/azure/schedules.ts': 'the user, who writes the configuration',
  'shared/clusters/drivers/azure-codes.ts': 'Azure, whose codes stand for several things',
  'shared/clusters/explain/azure-codes.ts': 'Azure, whose codes stand for several things',
  'shared/clusters/explain/quota-text.ts': 'Azure, about quotas',
  'shared/config/file.ts': 'the YAML parser',
  'shared/kube/client/status.ts': 'the API server',
  'shared/observe/log/pretty.ts': 'nobody: it quotes what has a space',
  'shared/platforms/aws/errors.ts': 'the AWS SDK',
  'shared/platforms/azure/arm-error.ts': 'ARM',
  'shared/platforms/azure/entra-errors.ts': 'Entra ID',
  'shared/platforms/azure/error-rules.ts': 'ARM',
  'shared/platforms/cloudstack/errors.ts': 'CloudStack',
  'shared/platforms/cloudstack/said.ts': 'CloudStack',
  'shared/providers/agent-pools/pool-answers.ts': 'ARM',
  'shared/providers/ec2/calls/error-rules.ts': 'AWS',
  'shared/queue/http/sender.ts': 'Node, about a certificate',
  'shared/state/tables/client.ts': 'Table Storage',
};

const textNames: ReadonlySet<string> = new Set(['message', 'cause', 'why', 'detail', 'sentence', 'problem']);
/** As a property it is a text of ours or a body; as a variable it is mostly what a parser reads. */
const textMembers: ReadonlySet<string> = new Set([...textNames, 'text']);
const lookups: ReadonlySet<string> = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'indexOf',
  'lastIndexOf',
  'split',
  'match',
  'matchAll',
  'search',
]);

/** `error.message`, `failure?.cause ?? ''`, `(x.why)`, `${a.message} ${b}`, and variables that hold such a text. */
function isText(node: ts.Expression, held: ReadonlySet<string>): boolean {
  const of = (one: ts.Expression): boolean => isText(one, held);
  if (ts.isIdentifier(node)) return textNames.has(node.text) || held.has(node.text);
  if (ts.isPropertyAccessExpression(node)) return textMembers.has(node.name.text);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node))
    return of(node.expression);
  if (ts.isTemplateExpression(node)) return node.templateSpans.some(({ expression }) => of(expression));
  if (ts.isConditionalExpression(node)) return of(node.whenTrue) || of(node.whenFalse);
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const joins = [ts.SyntaxKind.PlusToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken];
    return joins.includes(kind) && (of(node.left) || of(node.right));
  }
  // `message.trim()` is the message.
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    return (
      /^(trim|toLowerCase|toUpperCase|replaceAll|replace|slice)/.test(node.expression.name.text) &&
      of(node.expression.expression)
    );
  }
  return false;
}

/** The variables of a file that hold a text: by what they are made of, or by what their function is called with. */
function heldTexts(source: ts.SourceFile): Set<string> {
  const held = new Set<string>();
  const parameters = new Map<string, readonly ts.ParameterDeclaration[]>();
  const declare = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name) parameters.set(node.name.text, node.parameters);
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer &&
      ts.isArrowFunction(node.initializer)
    )
      parameters.set(node.name.text, node.initializer.parameters);
    ts.forEachChild(node, declare);
  };
  declare(source);
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer &&
      isText(node.initializer, held)
    )
      held.add(node.name.text);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const names = parameters.get(node.expression.text)?.map(({ name }) => name);
      for (const [index, argument] of node.arguments.entries()) {
        const name = names?.[index];
        if (name && ts.isIdentifier(name) && isText(argument, held)) held.add(name.text);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    visit(source);
  }
  return held;
}

/** The expressions of a file that look for words in a text. */
function looksInto(file: string, code: string): string[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const held = heldTexts(source);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const looks = lookups.has(name.text) && isText(expression, held) && !isLayout(node.arguments[0]);
      const tests = ['test', 'exec'].includes(name.text) && node.arguments.some((one) => isText(one, held));
      if (looks || tests) found.push(node.getText(source));
    }
    if (ts.isBinaryExpression(node) && equals.has(node.operatorToken.kind)) {
      const sides = [node.left, node.right];
      // Without a space it is a code.
      const words = sides.some((side) => ts.isStringLiteralLike(side) && side.text.includes(' '));
      if (words && sides.some((side) => isText(side, held))) found.push(node.getText(source));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const equals: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

/** Lines and words are laid out, not read. */
const isLayout = (argument: ts.Expression | undefined): boolean =>
  argument !== undefined && ts.isStringLiteralLike(argument) && argument.text.trim() === '';

const sources = globSync(['cli/**/*.ts', 'functions/**/*.ts', 'shared/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, found: looksInto(file, readFileSync(join(root, file), 'utf8')) }));

test('no code looks for words in a text that may be ours', () => {
  expect(sources.length).toBeGreaterThan(500);
  const reads = sources.filter(({ file }) => mayRead[file] === undefined);
  expect(reads.flatMap(({ file, found }) => found.map((one) => `${file}: ${one}`))).toEqual([]);
});

test('every file that may still does', () => {
  const reading = new Set(sources.flatMap(({ file, found }) => (found.length === 0 ? [] : file)));
  expect(Object.keys(mayRead).filter((file) => !reading.has(file))).toEqual([]);
});

test.each([
  "problem.startsWith('may not ')",
  "const [at] = message.split(': ')",
  'above.test(read.error.message)',
  "/^x/.exec(cause ?? '')",
  'const text = failure.message + failure.cause; sizes.test(text)',
  `const text = \`\${a}: \${failure.message}\`; sizes.test(text)`,
  'const ids = (text: string) => text.match(/i-/g); ids(seen.error.message)',
  "function at(a: string, b: string) { return b.includes('x') } at('', x.why)",
  "error?.message.toLowerCase().includes('gone')",
  "said.text === 'node n-1 is ready'",
  "if (wait.why !== 'it is paused') go()",
])('%s would be found', (code) => {
  expect(looksInto('a.ts', code)).toHaveLength(1);
});
