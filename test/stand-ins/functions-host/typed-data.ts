/** The values that the Functions host and its language worker exchange, as far as our functions meet them. */

export interface TypedData {
  string?: string;
  json?: string;
  bytes?: Uint8Array;
  int?: number;
  double?: number;
  http?: HttpData;
  collectionString?: { string: string[] };
}

/** A request (method, url) or a response (statusCode, headers). */
export interface HttpData {
  method?: string;
  url?: string;
  statusCode?: string;
  headers?: Record<string, string>;
  nullableHeaders?: Record<string, { value: string }>;
  nullableParams?: Record<string, { value: string }>;
  nullableQuery?: Record<string, { value: string }>;
  body?: TypedData | null;
}

/** As the host hands a value to a function: text as text, numbers as numbers, everything else as JSON. */
export function toTypedData(value: unknown): TypedData {
  if (typeof value === 'string') return { string: value };
  if (value instanceof Uint8Array) return { bytes: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { int: value } : { double: value };
  return { json: JSON.stringify(value ?? null) };
}

/** What a function answered; undefined when it answered nothing. */
export function fromTypedData(data: TypedData | null | undefined): unknown {
  if (!data) return undefined;
  if (data.json !== undefined) return JSON.parse(data.json);
  return data.string ?? data.int ?? data.double ?? data.bytes;
}
