/**
 * The metrics as OpenMetrics text (openmetrics.io), for scrapers that ask for it. The library can write it too, but it renames the counters of
 * the registry while it does, and the other form would then have the wrong names.
 */
import type { MetricFamily } from './metrics.ts';

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

type Sample = MetricFamily['values'][number] & { metricName?: string };

export function openMetricsText(families: readonly MetricFamily[]): string {
  const lines = families.flatMap(({ name, help, type, values }) => {
    const isCounter = String(type) === 'counter';
    // Here the family of a counter is named without the ending that its samples have.
    const family = isCounter ? name.replace(/_total$/, '') : name;
    const samples = (values as Sample[]).map(
      ({ labels, value, metricName = name }) => `${metricName}${labelText(labels)} ${numberText(value)}`,
    );
    return [`# TYPE ${family} ${String(type)}`, `# HELP ${family} ${escaped(help)}`, ...samples];
  });
  return `${[...lines, '# EOF'].join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : '+'}Inf`;
}

/** Whether a scraper would rather have OpenMetrics than the older text. */
export function prefersOpenMetrics(accept = ''): boolean {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  // Several versions of one type may be listed.
  const weightOf = (wanted: string): number =>
    Math.max(
      0,
      ...ranges.flatMap(([type, ...parameters]) => {
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return type === wanted ? [weight === undefined ? 1 : Number(weight.slice(2)) || 0] : [];
      }),
    );
  const weight = weightOf('application/openmetrics-text');
  return weight > 0 && weight >= weightOf('text/plain');
}
