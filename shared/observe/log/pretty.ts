/** One line for a person from one JSON log line: time, level, what happened, whom it concerns, then the rest. */

const colors = { debug: 90, info: 32, warn: 33, error: 31 } as const;
/** In this order, and before all other fields: they say whom a line is about. */
const ids = ['cluster', 'claim', 'uid', 'workflow'];
const hidden = new Set(['time', 'level', 'event', 'msg']);

export function prettyLine(jsonLine: string, color: boolean): string {
  const line = JSON.parse(jsonLine) as Record<string, unknown>;
  const level = typeof line.level === 'string' ? line.level : 'info';
  const code = Object.hasOwn(colors, level) ? colors[level as keyof typeof colors] : 0;
  const paint = (text: string, how: number): string => (color ? `\u001b[${how}m${text}\u001b[0m` : text);
  const fields = [
    ...ids.filter((id) => id in line),
    ...Object.keys(line).filter((key) => !ids.includes(key) && !hidden.has(key)),
  ];
  const stacks: string[] = [];
  const shown = fields.map((key) => {
    const value = line[key];
    if (isError(value)) {
      if (value.stack !== undefined) stacks.push(harmless(value.stack));
      return `${paint(`${key}=`, 90)}${oneLine(value.message)}`;
    }
    return `${paint(`${key}=`, 90)}${oneLine(value)}`;
  });
  const time = typeof line.time === 'string' ? line.time.slice(11, 23) : '';
  const head = `${paint(time, 90)} ${paint(level.toUpperCase().padEnd(5), code)} ${String(line.msg ?? line.event ?? '')}`;
  return [[head, ...shown].join('  '), ...stacks.map((stack) => stack.replace(/^/gm, '    '))].join('\n').concat('\n');
}

/** A text from outside must not be able to forge a second line or to move the cursor, so anything unusual is quoted. */
function oneLine(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@%+,=-]+$/.test(value) ? value : harmless(JSON.stringify(value));
}

/** JSON leaves DEL and the C1 controls alone, and terminals obey those as well. */
function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isError(value: unknown): value is { message: string; stack?: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'message' in value &&
    typeof value.message === 'string' &&
    'type' in value
  );
}
