/**
 * A tool of a cloud that can't be had in a test. It does nothing, but it knows the syntax of the subcommands that our pages use, as
 * the tool's own reference has it: any other subcommand or option, and a file that is not there, is an error. So a page can't say what the
 * tool would not understand.
 */

import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../../shared/base/error-text.ts';

export type Options = Readonly<Record<string, string>>;

export interface Subcommand {
  required?: readonly string[];
  optional?: readonly string[];
  /** Options without a value. */
  switches?: readonly string[];
  /** Options with several values. */
  lists?: readonly string[];
  /** Arguments that are no options, such as the name of an app. */
  arguments?: number;
  /** What is wrong with what was asked, if anything. */
  refuse?(options: Options): string | undefined;
  /** What is printed. */
  answer?(options: Options): string;
}

export function standIn(tool: string, subcommands: Readonly<Record<string, Subcommand>>): void {
  const problem = problemWith(subcommands);
  if (problem === undefined) return;
  const line = `${tool} (stand-in): ${problem}\n`;
  process.stderr.write(line);
  // A shell goes on where this was called in `for one in $(…)`, or before a pipe that does not mind: the test reads it here.
  appendFileSync(refusalsIn(process.env.DOCS_SCRATCH), line);
  process.exitCode = 2;
}

/** Where the stand-ins of a page write down what they refused. */
export const refusalsIn = (scratch = '.'): string => join(scratch, 'refusals');

function problemWith(subcommands: Readonly<Record<string, Subcommand>>): string | undefined {
  try {
    return call(process.argv.slice(2), subcommands);
  } catch (error) {
    return errorText(error);
  }
}

/** What is wrong with the call, if anything. */
function call(given: readonly string[], subcommands: Readonly<Record<string, Subcommand>>): string | undefined {
  const firstOption = given.findIndex((word) => word.startsWith('-'));
  const words = given.slice(0, firstOption < 0 ? given.length : firstOption);
  const name = Object.keys(subcommands)
    .filter((one) => `${words.join(' ')} `.startsWith(`${one} `))
    .sort((a, b) => b.length - a.length)[0];
  const subcommand = subcommands[name ?? ''];
  if (name === undefined || subcommand === undefined) return `unknown: ${words.join(' ')}`;
  const options = parse(given.slice(name.split(' ').length), subcommand);
  const problem = typeof options === 'string' ? options : subcommand.refuse?.(options);
  if (problem !== undefined || typeof options === 'string') return `${name}: ${problem}`;
  const answer = subcommand.answer?.(options);
  if (answer) process.stdout.write(`${answer}\n`);
  return undefined;
}

function parse(args: readonly string[], subcommand: Subcommand): Options | string {
  const { required = [], optional = [], switches = [], lists = [], arguments: places = 0 } = subcommand;
  const options: Record<string, string> = {};
  let place = 0;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (!word.startsWith('--')) {
      if (place >= places) return `unexpected: ${word}`;
      options[`${place++}`] = word;
    } else if (switches.includes(word)) options[word] = 'true';
    else if ([...required, ...optional, ...lists].includes(word)) {
      const values: string[] = [];
      while (index + 1 < args.length && !(args[index + 1] ?? '').startsWith('--')) {
        values.push(args[++index] ?? '');
        if (!lists.includes(word)) break;
      }
      if (values.length === 0 || values.includes('')) return `${word} has no value`;
      options[word] = values.join(' ');
    } else return `unknown option ${word}`;
  }
  const missing = required.filter((one) => options[one] === undefined);
  if (missing.length > 0) return `missing ${missing.join(', ')}`;
  return place < places ? 'an argument is missing' : options;
}

/** For `refuse`: a file that an option names is there. `file://` is how the AWS CLI names one. */
export const fileOf =
  (option: string) =>
  (options: Options): string | undefined => {
    const file = options[option]?.replace('file://', '') ?? '';
    return existsSync(file) ? undefined : `there is no file ${file}`;
  };

const marks = (): string => join(process.env.DOCS_SCRATCH ?? '.', 'marks');

/** One call may need what another has made. */
export function mark(name: string): void {
  mkdirSync(marks(), { recursive: true });
  writeFileSync(join(marks(), name.replaceAll('/', '_')), '');
}

export const isMarked = (name: string): boolean => existsSync(join(marks(), name.replaceAll('/', '_')));

/** For `answer`: only the queries that are known get one. */
export const byQuery =
  (answers: Readonly<Record<string, () => string>>) =>
  (options: Options): string => {
    const answer = answers[options['--query'] ?? ''];
    if (answer !== undefined) return answer();
    throw new Error(`the stand-in has no answer to the query ${options['--query']}`);
  };

/** What the test says about the world around the page. */
export function fromTest(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`the test has not set ${name}`);
  return value;
}
