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
  const groups = new Map<string, { labels: Labels; buckets: [number, number][]; sum: number; count: number }>();
  for (const { labels, value, metricName = '' } of samples) {
    const { le, ...others } = labels as Labels;
    const key = JSON.stringify(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)));
    const group = groups.get(key) ?? { labels: others, buckets: [], sum: 0, count: 0 };
    groups.set(key, group);
    if (metricName.endsWith('_bucket'))
      group.buckets.push([le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value]);
    else if (metricName.endsWith('_sum')) group.sum = value;
    else if (metricName.endsWith('_count')) group.count = value;
  }
  return [...groups.values()].map(({ labels, buckets, sum, count }) => {
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

const attributesOf = (labels: Readonly<Record<string, unknown>>): Json[] =>
  Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

/** 64-bit numbers are texts in this form: a double would lose the last digits. */
const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds)) * 1_000_000n);
