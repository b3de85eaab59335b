/** From what a terminal sends to keys. What is not known is left out. */
import type { Key } from './view.ts';

const named: ReadonlyMap<string, Exclude<Key['key'], 'text'>> = new Map([
  ['\u001b[A', 'up'],
  ['\u001bOA', 'up'],
  ['\u001b[B', 'down'],
  ['\u001bOB', 'down'],
  ['\u001b[5~', 'page-up'],
  ['\u001b[6~', 'page-down'],
  ['\u001b[H', 'home'],
  ['\u001bOH', 'home'],
  ['\u001b[1~', 'home'],
  ['\u001b[F', 'end'],
  ['\u001bOF', 'end'],
  ['\u001b[4~', 'end'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\u001b', 'escape'],
  ['\u007f', 'backspace'],
  ['\b', 'backspace'],
  ['\u0003', 'interrupt'],
  // End of input: nobody will press anything any more.
  ['\u0004', 'interrupt'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal sends them.
const token = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])?|./gsu;

/** Several keys may come at once, as when somebody pastes. */
export function keysIn(input: string): Key[] {
  return [...input.matchAll(token)].flatMap(([text]): Key[] => {
    const key = named.get(text);
    if (key !== undefined) return [{ key }];
    return /^\p{C}/u.test(text) ? [] : [{ key: 'text', text }];
  });
}
