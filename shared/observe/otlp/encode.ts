/**
 * From the samples of prom-client to OTLP in its JSON form (opentelemetry.io/docs/specs/otlp). Names and labels stay as they are, so that dashboards work
 * whichever way the numbers came. Everything is cumulative since `startedAt`: what one push could not deliver, the next one does.
 */
import type { Json } from '../../base/json.ts';
import type { MetricFamily } from '../metrics.ts';

export interface EncodeOptions {
  /** Who speaks: `service.name` and the like. */
  resource: Readonly<Record<string, string>>;
  version: string;
  /** Milliseconds since 1970: when counting began, and now. */
  startedAt: number;
  now: number;
}

type Sample = MetricFamily['values'][number] & { metricName?: string };
type Labels = Readonly<Record<string, string | number>>;

/** AGGREGATION_TEMPORALITY_CUMULATIVE; the JSON form has enums as numbers. */
const cumulative = 2;

export function encodeMetrics(families: readonly MetricFamily[], options: EncodeOptions): Json {
  const metrics = families.map((family) => encodeFamily(family, options)).filter((metric) => metric !== undefined);
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(options.resource) },
        scopeMetrics: [{ scope: { name: 'poolwright', version: options.version }, metrics }],
      },
    ],
  };
}

function encodeFamily(family: MetricFamily, { startedAt, now }: EncodeOptions): Json | undefined {
  const { name, help, type } = family;
  const times = { startTimeUnixNano: nanoseconds(startedAt), timeUnixNano: nanoseconds(now) };
  const samples: Sample[] = family.values;
  // A metric without a point says nothing, and some collectors refuse it.
  if (samples.length === 0) return undefined;
  const metric = { name, description: help, ...(name.endsWith('_seconds') ? { unit: 's' } : {}) };
  // By their words: the library's own names for types are an enum, which TypeScript alone knows.
  switch (String(type)) {
    case 'counter':
      return {
        ...metric,
        sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: points(samples, times) },
      };
    case 'gauge':
      return { ...metric, gauge: { dataPoints: points(samples, { timeUnixNano: times.timeUnixNano }) } };
    case 'histogram':
      return {
        ...metric,
        histogram: { aggregationTemporality: cumulative, dataPoints: distributions(samples, times) },
      };
    case 'summary':
      return { ...metric, summary: { dataPoints: quantiles(samples, times) } };
    default:
      return undefined;
  }
}

const points = (samples: readonly Sample[], times: Record<string, string>): Json[] =>
  samples
    // JSON has no word for what is no number.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ attributes: attributesOf(labels), ...times, asDouble: value }));

/** Buckets of Prometheus hold all that is less than their bound; those of OTLP hold only what is between two bounds. */
function distributions(samples: readonly Sample[], times: Record<string, string>): Json[] {
  return grouped(samples, 'le').map(({ labels, parts: buckets, sum, count }) => {
    buckets.sort(([a], [b]) => a - b);
    const bounds = buckets.map(([bound]) => bound).filter(Number.isFinite);
    const upTo = [...buckets.slice(0, bounds.length).map(([, value]) => value), count];
    return {
      attributes: attributesOf(labels),
      ...times,
      count: String(count),
      sum,
      bucketCounts: upTo.map((value, index) => String(value - (upTo[index - 1] ?? 0))),
      explicitBounds: bounds,
    };
  });
}

interface Group {
  labels: Labels;
  /** What differs by the label that the samples of a group do not share. */
  parts: [number, number][];
  sum: number;
  count: number;
}

/** @param by The label of buckets or quantiles. */
function grouped(samples: readonly Sample[], by: 'le' | 'quantile'): Group[] {
  const groups = new Map<string, Group>();
  for (const { labels, value, metricName = '' } of samples) {
    const { [by]: part, ...others } = labels as Labels;
    const key = JSON.stringify(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)));
    const group = groups.get(key) ?? { labels: others, parts: [], sum: 0, count: 0 };
    groups.set(key, group);
    if (part !== undefined) group.parts.push([part === '+Inf' ? Number.POSITIVE_INFINITY : Number(part), value]);
    else if (metricName.endsWith('_sum')) group.sum = value;
    else if (metricName.endsWith('_count')) group.count = value;
  }
  return [...groups.values()];
}

function quantiles(samples: readonly Sample[], times: Record<string, string>): Json[] {
  return grouped(samples, 'quantile').map(({ labels, parts, sum, count }) => ({
    attributes: attributesOf(labels),
    ...times,
    count: String(count),
    sum,
    quantileValues: parts.map(([quantile, value]) => ({ quantile, value })),
  }));
}

const attributesOf = (labels: Readonly<Record<string, unknown>>): Json[] =>
  Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

/** 64-bit numbers are texts in this form: a double would lose the last digits. */
const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds)) * 1_000_000n);
