/**
 * The fields that configurations are made of. What several fields have in common is made once: a schema takes long to make, and
 * every start of a function waits for all of them.
 */
import { formatSeconds, parseSeconds } from './durations.ts';
import * as z from './schemas.ts';

export { _default as withDefault, gte, lt, lte, positive, prefault } from './schemas.ts';

const year = 366 * 86_400;

const nothing = z.never();
const wholeNumber = z.int();

export const anyText = z.string();
export const text = anyText.check(z.minLength(1));
/** Of a file. */
export const path = text;
export const flag = z.boolean();
export const number = z.number();
export const oneOf = z.enum;
/** As `z.strictObject`, which makes another schema for what no object may have each time. */
export function object<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodMiniObject<Fields, z.core.$strict> {
  const made: object = new z.ZodMiniObject({ type: 'object', shape: fields, catchall: nothing });
  return made as z.ZodMiniObject<Fields, z.core.$strict>;
}
export const mapOf = z.record;

const optionals = new WeakMap<z.core.$ZodType, z.ZodMiniOptional>();

/** Made once for each: most fields may be left out, and most of them are texts. */
export function optional<Field extends z.core.$ZodType>(field: Field): z.ZodMiniOptional<Field> {
  const known = (optionals.get(field) as z.ZodMiniOptional<Field> | undefined) ?? z.optional(field);
  optionals.set(field, known);
  return known;
}

/** An object that may be left out, as every field of it may. */
export const section = <Fields extends z.core.$ZodLooseShape>(fields: Fields) =>
  z.prefault(object(fields), {} as never);

export const count = (least: number, most: number) => wholeNumber.check(z.gte(least), z.lte(most));

const numberOrText = [number, anyText] as const;
const durations = new Map<string, ReturnType<typeof makeDuration>>();

/** In seconds once it is read, whatever its name; written as a number of seconds or as "30s", "15m", "1h30m". */
export function duration({ least = 0, most = year }: { least?: number; most?: number } = {}) {
  const key = `${least} ${most}`;
  const known = durations.get(key) ?? makeDuration(least, most);
  durations.set(key, known);
  return known;
}

function makeDuration(least: number, most: number) {
  const allowed = `must be a duration such as "30s", "15m" or "1h30m", or a number of seconds, from ${formatSeconds(least)} to ${formatSeconds(most)}`;
  const seconds = z.transform((value: number | string, context) => {
    const seconds = parseSeconds(value);
    if (seconds !== undefined && seconds >= least && seconds <= most) return seconds;
    context.issues.push({ code: 'custom', input: value, message: allowed });
    return z.NEVER;
  });
  return z.pipe(z.union(numberOrText, { error: allowed }), seconds);
}

export const httpUrl = anyText.check(
  z.refine((given) => URL.canParse(given) && /^https?:\/\//.test(given), {
    error: 'must be an http:// or https:// URL',
  }),
);

export const httpsUrl = anyText.check(
  z.refine((given) => URL.canParse(given) && given.startsWith('https://'), { error: 'must be an https:// URL' }),
);

/** Any of these. */
export type AnyField = z.core.$ZodType;
