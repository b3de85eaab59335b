/**
 * User data as a template: `{{ poolwright.node.name }}`, with a filter after a `|`. Everything else in double braces is left as it is,
 * because cloud-init and others have templates of their own.
 */
import { nearest } from '../base/nearest.ts';
import { misspelled, type Problem, quoteInput } from '../base/problems.ts';
import { type Filter, filterNames, isFilter, writtenAs } from './filters.ts';
import {
  isVariable,
  joinPrefix,
  secretKeyOf,
  type Variable,
  type VariableName,
  type Variables,
  variableNames,
  variablePrefix,
} from './variables.ts';

/** Where a variable stands. */
interface Use {
  /** Without the prefix. */
  name: string;
  filter: Filter | undefined;
  line: number;
  start: number;
  end: number;
}

export interface Template {
  text: string;
  uses: readonly Use[];
}

const prefixDot = `${variablePrefix}.`;
const allNames = [...variableNames.map((name) => `${prefixDot}${name}`), `${prefixDot}${joinPrefix}command`];
/** In one line: a brace that is closed on another one is none of ours. */
const braces = /\{\{-?([^{}\n]*?)-?\}\}/g;
const jinjaHeader = /^##\s*template:\s*jinja/i;

/** All problems at once, each with its line. `field` is where the text stands: `spec.userData`. */
export function parseTemplate(text: string, field: string): { template: Template; problems: Problem[] } {
  const uses: Use[] = [];
  const problems: Problem[] = [];
  const foreign = jinjaHeader.test(text);
  for (const found of text.matchAll(braces)) {
    const [whole, inside = ''] = found;
    const [written = '', ...filters] = inside.split('|').map((part) => part.trim());
    if (!isMeant(written, foreign)) continue;
    const line = lineOf(text, found.index);
    const problem = problemOf(field, line, written, filters);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    const name = written.slice(prefixDot.length);
    const filter = filters[0] as Filter | undefined;
    uses.push({ name, filter, line, start: found.index, end: found.index + whole.length });
  }
  return { template: { text, uses }, problems };
}

/** The keys of the Secret that the template needs. */
export const secretKeys = ({ uses }: Template): string[] => [
  ...new Set(uses.flatMap(({ name }) => secretKeyOf(name) ?? [])),
];

/** The variables that it uses, without the prefix. */
export const usedNames = ({ uses }: Template): string[] => [...new Set(uses.map(({ name }) => name))];

export interface TemplateValues {
  variables: Variables;
  /** Of the Secret, by key. */
  secret: Readonly<Record<string, string>>;
  /** How a person names the Secret: `kube-system/join`. */
  secretName: string;
  /** Why a variable that exists has no value now, and what to do. */
  absent?: Partial<Record<VariableName, string>>;
}

/** Each with its line; no message has a value from the Secret. */
export function renderTemplate(
  { text, uses }: Template,
  values: TemplateValues,
  field: string,
): { text: string; problems: Problem[] } {
  const problems: Problem[] = [];
  let rendered = '';
  let at = 0;
  for (const use of uses) {
    const value = foundValue(use, values);
    const written = typeof value === 'string' ? undefined : writtenAs(value, use.filter);
    if (typeof value === 'string') problems.push(problemAt(field, use.line, value));
    else if (written === undefined) problems.push(problemAt(field, use.line, unsafe(use.name)));
    rendered += text.slice(at, use.start) + (written ?? '');
    at = use.end;
  }
  return { text: rendered + text.slice(at), problems };
}

/** A text is why there is none. */
function foundValue({ name }: Use, { variables, secret, secretName, absent }: TemplateValues): Variable | string {
  const key = secretKeyOf(name);
  if (key !== undefined) {
    const value = Object.hasOwn(secret, key) ? secret[key] : undefined;
    return value === undefined
      ? `${prefixDot}${name} needs the key ${key} of the Secret ${secretName}, which does not have it`
      : { text: value.replace(/\n+$/, '') };
  }
  const known = variables[name as VariableName];
  return known ?? `${prefixDot}${name} has no value here: ${absent?.[name as VariableName] ?? 'leave it out'}`;
}

const unsafe = (name: string): string =>
  `the value of ${prefixDot}${name} has characters that a shell or YAML may read as something else; ` +
  `say how it is to be written, such as {{ ${prefixDot}${name} | shell }} or {{ ${prefixDot}${name} | yaml }} ` +
  `(filters: ${filterNames.join(', ')})`;

/** Ours, or meant to be: a prefix with a typing mistake, or one of our names without the prefix. */
function isMeant(written: string, foreign: boolean): boolean {
  if (written.startsWith(prefixDot) || written === variablePrefix) return true;
  const [first = '', ...rest] = written.split('.');
  if (rest.length === 0) return false;
  if (first !== variablePrefix && nearest(first, [variablePrefix]) !== undefined) return true;
  return !foreign && (variableNames.includes(written as VariableName) || written === `${joinPrefix}command`);
}

function problemOf(field: string, line: number, written: string, filters: string[]): Problem | undefined {
  const name = written.startsWith(prefixDot) ? written.slice(prefixDot.length) : undefined;
  if (name === undefined || !isVariable(name)) {
    const message = `line ${line}: there is no variable ${quoteInput(written)}`;
    const near = misspelled(field, message, written, allNames);
    if (near.suggestion !== undefined) return near;
    const prefixed = allNames.find((one) => one === `${prefixDot}${written}`);
    if (prefixed !== undefined) {
      return { path: field, message: `${message}; did you mean "${prefixed}"?`, suggestion: prefixed };
    }
    return { path: field, message: `${message}; there are ${allNames.join(', ')}` };
  }
  const [filter, ...more] = filters;
  if (filter === undefined) return undefined;
  if (!isFilter(filter)) {
    return misspelled(
      field,
      `line ${line}: there is no filter ${quoteInput(filter)}; there are ${filterNames.join(', ')}`,
      filter,
      filterNames,
    );
  }
  return more.length === 0
    ? undefined
    : problemAt(field, line, `${written} takes one filter, and has ${filters.length}`);
}

const problemAt = (path: string, line: number, message: string): Problem => ({
  path,
  message: `line ${line}: ${message}`,
});

function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
