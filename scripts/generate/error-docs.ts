/** Writes docs/reference/errors.md from the catalog of errors. Run it after a change there; a test fails meanwhile. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorGroups } from '../../shared/observe/errors/catalog.ts';
import type { ErrorEntry, Surface } from '../../shared/observe/errors/entry.ts';

export const errorsPage = join(import.meta.dirname, '../../docs/reference/errors.md');

const intro = `<!-- Made by \`npm run generate\` from shared/observe/errors/. Change it there. -->

# Errors

Every error has a code. It is the \`reason\` of a condition or Kubernetes Event, and the \`code\` of a log line and of an answer of
the [HTTP API](../http-api.md). A command prints it after \`More:\`. Codes are stable: filter and alert on them.

\`poolwright errors <code>\` prints the same text offline. \`poolwright explain claim/<name>\` explains the state of one claim.
`;

const placeWords: Readonly<Record<Surface, string>> = {
  condition: 'conditions',
  event: '[Events](../events.md)',
  log: 'the log',
  http: 'the HTTP API',
  cli: 'commands',
  config: 'the [configuration](../configuration.md)',
  check: '`poolwright doctor`',
};

export function errorDocs(): string {
  const contents = errorGroups.map(({ title, entries }) => {
    const codes = Object.keys(entries).map((code) => `[${code}](#${code.toLowerCase()})`);
    return `| ${title} | ${codes.join(', ')} |`;
  });
  const sections = errorGroups.map(
    ({ title, entries }) =>
      `## ${title}\n\n${Object.entries(entries)
        .map(([code, entry]) => section(code, entry))
        .join('\n')}`,
  );
  return `${intro}\n| | |\n|---|---|\n${contents.join('\n')}\n\n${sections.join('\n')}`;
}

function section(code: string, { cause, cure, more, seen, about, alias }: ErrorEntry): string {
  const where = `Seen in ${seen.map((place) => placeWords[place]).join(', ')}${about === undefined ? '' : `; about: ${about}`}.`;
  const others = alias === undefined ? '' : ` Also called ${alias.map((name) => `\`${name}\``).join(', ')}.`;
  const paragraphs = [cause, `**What to do.** ${cure}`, ...(more === undefined ? [] : [more]), where + others];
  return `### ${code}\n\n${paragraphs.join('\n\n')}\n`;
}

if (import.meta.main) {
  mkdirSync(dirname(errorsPage), { recursive: true });
  writeFileSync(errorsPage, errorDocs());
}
