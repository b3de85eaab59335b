/** One line on a person's terminal that says what is still under way; nothing where nobody looks. */

import type { Terminal } from '../../terminal/terminal.ts';
import { cut, printable } from '../../terminal/text-table.ts';

const erase = '\r\u001b[K';

export function progressOn(terminal: Terminal): {
  show(done: number, all: number, open: readonly string[]): void;
  end(): void;
} {
  if (!terminal.canAsk) return { show: () => undefined, end: () => undefined };
  return {
    show: (done, all, open) => {
      const text = `${done} of ${all} checks done${open.length === 0 ? '' : `; waiting for ${open.join(', ')}`}`;
      terminal.err(`${erase}${cut(printable(text), (terminal.columns() ?? 80) - 1)}`);
    },
    end: () => terminal.err(erase),
  };
}
