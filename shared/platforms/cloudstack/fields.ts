/** The parameters of a command as the fields of a form, which is what CloudStack takes. */

export type Scalar = string | number | boolean;

/**
 * A list of scalars becomes one field with commas (`ids=a,b`); a list of objects and a map become numbered fields
 * (`tags[0].key=a`, `details[0].memory=512`). What is undefined is left out.
 */
export type Params = {
  readonly [name: string]: Scalar | undefined | readonly Scalar[] | readonly FieldMap[] | FieldMap;
};

export type FieldMap = { readonly [name: string]: Scalar | undefined };

/** @example fieldsOf({ ids: ['a', 'b'], tags: [{ key: 'k', value: 'v' }] }) // { ids: 'a,b', 'tags[0].key': 'k', 'tags[0].value': 'v' } */
export function fieldsOf(params: Params): Record<string, string> {
  const fields: Record<string, string> = {};
  const addMap = (prefix: string, map: FieldMap): void => {
    for (const [key, value] of Object.entries(map)) {
      if (value !== undefined) fields[`${prefix}.${key}`] = String(value);
    }
  };
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    if (isList(value)) {
      const maps = value.filter((one): one is FieldMap => typeof one === 'object');
      for (const [index, map] of maps.entries()) addMap(`${name}[${index}]`, map);
      if (maps.length === 0 && value.length > 0) fields[name] = value.join(',');
    } else if (typeof value === 'object') addMap(`${name}[0]`, value);
    else fields[name] = String(value);
  }
  return fields;
}

const isList = (value: NonNullable<Params[string]>): value is readonly Scalar[] | readonly FieldMap[] =>
  Array.isArray(value);

/** As a form carries it. Names are not encoded in the signed text, but they are on the way. */
export const formOf = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
