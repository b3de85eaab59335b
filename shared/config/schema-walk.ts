/** Finds its way through the schema: which fields there may be at a path, and which schema stands behind it. */
import * as z from 'zod/v4/core';

/** The schema without what only fills in or loosens: defaults, optional. */
export function bare(schema: z.$ZodType): z.$ZodType {
  let inner = schema;
  while (inner instanceof z.$ZodDefault || inner instanceof z.$ZodPrefault || inner instanceof z.$ZodOptional)
    inner = inner._zod.def.innerType;
  return inner;
}

/** The schema at a path, or undefined if nothing may stand there. */
export function schemaAt(root: z.$ZodType, path: readonly PropertyKey[]): z.$ZodType | undefined {
  let at: z.$ZodType | undefined = bare(root);
  for (const key of path) {
    if (at instanceof z.$ZodObject) at = at._zod.def.shape[String(key)];
    else if (at instanceof z.$ZodRecord) at = at._zod.def.valueType;
    else if (at instanceof z.$ZodArray) at = at._zod.def.element;
    else return undefined;
    if (at === undefined) return undefined;
    at = bare(at);
  }
  return at;
}

/** The names of the fields that an object at this path may have; none if it is no object with fixed fields. */
export function fieldsAt(root: z.$ZodType, path: readonly PropertyKey[]): string[] {
  const schema = schemaAt(root, path);
  return schema instanceof z.$ZodObject ? Object.keys(schema._zod.def.shape) : [];
}
