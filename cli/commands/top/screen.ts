/**
 * A terminal that is drawn upon: the alternate screen, so that what was there before comes back, and only the lines that changed are
 * written. However the command ends, the terminal is given back as it was.
 */
import type { Size } from './frame.ts';

/** The terminal itself; tests bring their own. */
export interface Tty {
  size(): Size;
  write(text: string): void;
  /** Keys one by one and unseen; false where there is no keyboard. */
  setRaw(on: boolean): void;
  onInput(listener: (text: string) => void): () => void;
  onResize(listener: () => void): () => void;
  /** For the end of the process by whatever way. */
  onExit(listener: () => void): () => void;
}

export interface Screen {
  size(): Size;
  draw(lines: readonly string[]): void;
  /** May be called twice. */
  close(): void;
}

/** Alternate screen, no cursor, and lines that are too long are not wrapped: a character may be wider than it seems. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';

export function openScreen(tty: Tty, on: { input(text: string): void; resize(): void }): Screen {
  let shown: readonly string[] = [];
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const stop of stops) stop();
    tty.setRaw(false);
    tty.write(leave);
  };
  const stops = [
    tty.onInput(on.input),
    tty.onResize(() => {
      // The terminal has moved the old picture about, so nothing of it counts any more.
      shown = [];
      tty.write('\u001b[2J');
      on.resize();
    }),
    tty.onExit(close),
  ];
  tty.setRaw(true);
  tty.write(enter);
  return {
    size: () => tty.size(),
    draw: (lines) => {
      if (!isOpen) return;
      const changes = lines.flatMap((line, index) =>
        line === shown[index] ? [] : [`\u001b[${index + 1};1H${line}\u001b[K`],
      );
      shown = lines;
      if (changes.length > 0) tty.write(changes.join(''));
    },
    close,
  };
}
