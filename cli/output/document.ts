/** One thing whole: as text for people, or as a document for programs. */
import type { Json } from '../../shared/json.ts';
import type { Terminal } from '../terminal.ts';

export const documentFormats = ['text', 'json', 'yaml'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

export async function printDocument(
  value: Json,
  text: () => string,
  format: DocumentFormat,
  terminal: Terminal,
): Promise<void> {
  if (format === 'text') return terminal.out(text());
  if (format === 'json') return terminal.out(`${JSON.stringify(value, null, 2)}\n`);
  const { stringify } = await import('yaml');
  terminal.out(stringify(value));
}
