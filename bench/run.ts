/** The frame of a bench: which figures are wanted, and how they are printed. */
import { parseArgs } from 'node:util';
import { type Bench, type Figure, fullSizes, isKept, quickSizes } from './figure.ts';
import { removeEverythingAtTheEnd } from './harness/leftovers.ts';

interface Line {
  figure: Figure;
  value: number;
  ok: boolean;
}

/** Measures the figures that the command line asks for, prints them, and ends the process. */
export async function runBench(figures: readonly Figure[]): Promise<never> {
  const { values: options } = parseArgs({
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      long: { type: 'boolean' },
      only: { type: 'string', multiple: true },
    },
  });

  const affordable = figures.filter(({ takesLong }) => options.long || !takesLong);
  const wanted = options.only
    ? affordable.filter(({ name }) => options.only?.some((part) => name.includes(part)))
    : affordable;
  if (wanted.length === 0) {
    const names = figures.map(({ name, takesLong }) => `  ${name}${takesLong ? ' (with --long)' : ''}`);
    console.error(`No figure has such a name. There are:\n${names.join('\n')}`);
    process.exit(2);
  }

  removeEverythingAtTheEnd();
  const measured = new Map<string, Promise<unknown>>();
  const bench: Bench = {
    sizes: options.quick ? quickSizes : fullSizes,
    say: (text) => console.error(`  ${text}`),
    once: <T>(key: string, measure: () => Promise<T>): Promise<T> => {
      const known = measured.get(key) as Promise<T> | undefined;
      if (known) return known;
      const fresh = measure();
      measured.set(key, fresh);
      return fresh;
    },
  };

  const lines: Line[] = [];
  for (const figure of wanted) {
    console.error(figure.name);
    const value = await figure.measure(bench);
    lines.push({ figure, value, ok: isKept(figure, value) });
  }
  console.log(options.json ? asJson(lines) : asTable(lines));
  process.exit(lines.every(({ ok }) => ok) ? 0 : 1);
}

function asJson(all: readonly Line[]): string {
  // Infinity, for what never came to an end, has no place in JSON.
  const rounded = (value: number): number | null => (Number.isFinite(value) ? Number(value.toPrecision(4)) : null);
  return JSON.stringify({
    figures: all.map(({ figure: { name, limit }, value, ok }) => ({ name, value: rounded(value), limit, ok })),
  });
}

function asTable(all: readonly Line[]): string {
  const rows = all.map(({ figure: { name, unit, limit, allowed }, value, ok }) => [
    name,
    `${value.toPrecision(3)} ${unit}`.trim(),
    `${allowed} ${limit} ${unit}`.trim(),
    ok ? 'ok' : 'MISSED',
  ]);
  const table = [['figure', 'measured', 'must be', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
