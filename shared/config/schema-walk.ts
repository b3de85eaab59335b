/** Finds its way through the schema: which fields there may be at a path, and which schema stands behind it. */
import { z } from 'zod';

/** The schema without what only fills in or loosens: defaults, optional. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional)
    inner = inner.unwrap();
  return inner;
}

/** The schema at a path, or undefined if nothing may stand there. */
export function schemaAt(root: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  let at: z.core.$ZodType | undefined = bare(root);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = (at.shape as Record<string, z.core.$ZodType>)[String(key)];
    else if (at instanceof z.ZodRecord) at = at.valueType as z.core.$ZodType;
    else if (at instanceof z.ZodArray) at = at.element as z.core.$ZodType;
    else return undefined;
    if (at === undefined) return undefined;
    at = bare(at);
  }
  return at;
}

/** The names of the fields that an object at this path may have; none if it is no object with fixed fields. */
export function fieldsAt(root: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const schema = schemaAt(root, path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
