/**
 * Schemas of answers. Only the OpenAPI document has them, so they are made when it is asked for: all routes are declared at the start of
 * a function, and three fifths of all schemas in them are of answers.
 */
import type { z } from '@hono/zod-openapi';

/** Made once, at its first use. */
export function late<Schema>(make: () => Schema): () => Schema {
  let made: Schema | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The content of an answer in JSON. */
export function jsonAnswer<Schema extends z.ZodType>(make: () => Schema) {
  const schema = late(make);
  return {
    'application/json': {
      get schema() {
        return schema();
      },
    },
  };
}
