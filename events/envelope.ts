/**
 * The CloudEvents 1.0 envelope around everything that travels on queues, in structured JSON. The version of an event
 * stands in its type, so a reader knows from one string whether it understands the message.
 *
 * Schemas are written with zod/mini: every function loads them at its cold start.
 */
import * as z from 'zod/mini';

/** A message, as UTF-8, is at most this big: it fits the smallest broker with room for its own envelope. */
export const maxEventBytes = 64 * 1024;

/** Every string that no schema knows (extension attributes, fields of a later version) is at most this long. */
export const maxUnknownStringLength = 4096;

/** Objects and arrays are nested at most this deep; JSON.stringify and friends recurse and would overflow the stack. */
export const maxDepth = 32;

/** A string between 1 and `maximum` UTF-16 units. */
export const text = (maximum: number) => z.string().check(z.minLength(1), z.maxLength(maximum));

/** A moment as RFC 3339. */
export const timestamp = () => z.iso.datetime({ offset: true }).check(z.maxLength(64));

/**
 * How a cluster is called in messages, keys and workflow ids. It holds no slash and no space: ids are joined with
 * slashes, and a cluster must not be able to reach into another one's keys.
 */
export const clusterName = () => text(253).check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/));

/** The name of a Kubernetes object. It becomes a part of URLs: anything that is no DNS name stops here. */
export const objectName = () => text(253).check(z.regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/));

/** The uid of a Kubernetes object; it becomes a part of workflow ids. */
export const objectUid = () => text(128).check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/));

/** One kind of event: its type, its schema with the envelope, and an example for readers and tests. */
export interface EventDefinition<Type extends string, Data extends z.ZodMiniType> {
  readonly type: Type;
  readonly title: string;
  readonly description: string;
  readonly schema: ReturnType<typeof envelope<Type, Data>>;
  readonly example: { readonly subject: string; readonly data: z.infer<Data> };
}

/** @param definition Its data is described by a function: a schema takes long to make, and a function that starts gets one kind of event. */
export function defineEvent<const Type extends string, Data extends z.ZodMiniType>(definition: {
  type: Type;
  title: string;
  description: string;
  data: () => Data;
  example: { subject: string; data: z.infer<Data> };
}): EventDefinition<Type, Data> {
  const { type, title, description, data, example } = definition;
  let schema: ReturnType<typeof envelope<Type, Data>> | undefined;
  return {
    type,
    title,
    description,
    get schema() {
      schema ??= envelope(type, data());
      return schema;
    },
    example,
  };
}

const makeAttributes = () => ({
  identified: {
    specversion: z.literal('1.0'),
    /** With the source it names the event; a producer that sends again uses the same id. */
    id: text(256),
    /** A URI reference: who noticed. */
    source: text(512),
  },
  described: {
    /** What it is about, for people and for filters of brokers. Readers take it from the data. */
    subject: z.optional(text(512)),
    time: z.optional(timestamp()),
    datacontenttype: z.optional(text(128).check(z.regex(/^application\/(json|[\w.+-]+\+json)\s*(;.*)?$/))),
    dataschema: z.optional(text(1024)),
  },
});
let attributes: ReturnType<typeof makeAttributes> | undefined;

function envelope<Type extends string, Data extends z.ZodMiniType>(type: Type, data: Data) {
  attributes ??= makeAttributes();
  return z.looseObject({ ...attributes.identified, type: z.literal(type), ...attributes.described, data });
}
