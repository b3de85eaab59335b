/** One thing whole: as text for people, or as a document for programs. */
import type { Output } from '../terminal.ts';

export const documentFormats = ['text', 'json', 'yaml'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

export async function printDocument(
  value: object,
  text: () => string,
  format: DocumentFormat,
  terminal: Output,
): Promise<void> {
  if (format === 'text') return terminal.out(text());
  if (format === 'json') return terminal.out(`${JSON.stringify(value, null, 2)}\n`);
  const { stringify } = await import('yaml');
  // Readers of YAML by hand, and some by program, know no aliases.
  terminal.out(stringify(value, { aliasDuplicateObjects: false }));
}
