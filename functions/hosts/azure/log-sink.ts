/**
 * Lines of JSON to Application Insights: through the invocation that they belong to, so that they carry its operation id and
 * its level, and through standard output where there is none. In a query, `parse_json(message)` gives the fields.
 */
import { currentInvocation, type InvocationLog } from './invocation.ts';

const levels: Readonly<Record<string, keyof InvocationLog>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
};

export function azureSink(line: string): void {
  const invocation = currentInvocation();
  if (!invocation || invocation.over) return void process.stdout.write(line);
  // The level is the first field of every line.
  const level = levels[/"level":"([a-z]+)"/.exec(line)?.[1] ?? 'info'] ?? 'info';
  invocation.log[level](line.trimEnd());
}
