/** `poolwright config check`: all that is wrong with a configuration and with manifests, before a host or a cluster says so. */

import { configFile, usualFile } from '../../reach/which-file.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type DocumentFormat, printDocument } from '../../terminal/output/document.ts';
import type { Output } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import { configurationFindings } from './configuration.ts';
import type { Finding } from './finding.ts';

export interface CheckOptions {
  filename?: string[];
  /** It is meant for another machine. */
  elsewhere?: boolean;
  output: DocumentFormat;
}

export async function check(named: string | undefined, options: CheckOptions, terminal: Output): Promise<number> {
  const { filename: manifests = [], elsewhere = false } = options;
  const file = configFile(named);
  if (file === undefined && manifests.length === 0) {
    throw new UserError(
      `There is no ${usualFile} in this directory. Pass a file, set POOLWRIGHT_CONFIG, or run 'poolwright init' to write one.`,
      { code: 'InvalidCommand', exitCode: exitCodes.misused },
    );
  }
  const checked = file === undefined ? [] : [file];
  const findings: Finding[] = file === undefined ? [] : await configurationFindings(file, process.env);
  if (manifests.length > 0) {
    const { manifestFindings } = await import('./manifests.ts');
    for (const manifest of manifests) findings.push(...(await manifestFindings(manifest)));
    checked.push(...manifests);
  }
  const there = elsewhere ? findings.filter(({ machine }) => machine) : [];
  const mistakes = findings.filter((one) => !there.includes(one));
  const document = { checked, findings: mistakes, ...(elsewhere ? { there } : {}) };
  const text = (): string => mistakes.map((mistake) => `${printable(lineOf(mistake))}\n`).join('');
  await printDocument(document, text, options.output, terminal);
  if (options.output === 'text') {
    if (there.length > 0) terminal.err('Not mistakes here, but check these on the machine that runs the host:\n');
    for (const one of there) terminal.err(`  ${printable(lineOf(one))}\n`);
    terminal.err(`${printable(summary(checked, mistakes))}\n`);
  }
  return mistakes.length === 0 ? exitCodes.done : exitCodes.failed;
}

const lineOf = ({ where, line, message }: Finding): string =>
  `${where}${line === undefined ? '' : `:${line}`}${where === '' ? '' : ': '}${message}`;

function summary(checked: readonly string[], findings: readonly Finding[]): string {
  const what = checked.join(', ');
  if (findings.length === 0) return `No mistakes found in ${what}.`;
  const count = `${findings.length} ${findings.length === 1 ? 'mistake' : 'mistakes'} found in ${what}.`;
  return findings.some(({ machine }) => machine)
    ? `${count} Is the configuration for another machine? Pass --elsewhere to skip files and variables that are missing here.`
    : count;
}
