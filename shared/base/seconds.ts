/** Durations as people write them: "90s", "15m", "1h30m", "2d", or a plain number of seconds. */
const unitSeconds = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds, or undefined if the text is no duration. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    seconds += Number(amount) * unitSeconds[unit as keyof typeof unitSeconds];
  }
  // Sums such as 0.1 + 0.2 would otherwise show their last digits.
  return Math.round(seconds * 1000) / 1000;
}

/** The other way round, for messages: 5400 is "1h30m". */
export function formatDuration(seconds: number): string {
  let rest = Math.round(seconds * 1000);
  if (rest === 0) return '0s';
  let text = '';
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
