/**
 * Bodies in Kubernetes' protobuf envelope, for the few kinds that `kubectl create <kind>` sends in no other form.
 * Answers are always JSON, which such clients accept as well.
 */
import type { Json } from '../../../shared/base/json.ts';
import { badRequest, unsupportedMediaType } from '../api-error.ts';
import { type JsonObject, own } from '../types.ts';

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** How to read the payload of a field. Fields that are not listed are read over. */
type Reader = (bytes: Buffer) => Json;
interface Field {
  name: string;
  read: Reader | 'whole' | 'flag';
  repeated?: boolean;
  map?: boolean;
}
type Message = { [number: number]: Field };

const text: Reader = (bytes) => bytes.toString('utf8');
const base64: Reader = (bytes) => bytes.toString('base64');
const nested =
  (message: Message): Reader =>
  (bytes) =>
    decodeMessage(bytes, message);

const textMap = (name: string, value: Reader = text): Field => ({
  name,
  map: true,
  read: nested({ 1: { name: 'key', read: text }, 2: { name: 'value', read: value } }),
});

const objectMeta: Message = {
  1: { name: 'name', read: text },
  2: { name: 'generateName', read: text },
  3: { name: 'namespace', read: text },
  11: textMap('labels'),
  12: textMap('annotations'),
  14: { name: 'finalizers', read: text, repeated: true },
};
const metadata: Field = { name: 'metadata', read: nested(objectMeta) };

const intOrString: Reader = (bytes) => {
  const {
    type = 0,
    int = 0,
    str = '',
  } = decodeMessage(bytes, {
    1: { name: 'type', read: 'whole' },
    2: { name: 'int', read: 'whole' },
    3: { name: 'str', read: text },
  });
  return type === 0 ? int : str;
};

const labelSelector = nested({
  1: textMap('matchLabels'),
  2: {
    name: 'matchExpressions',
    repeated: true,
    read: nested({
      1: { name: 'key', read: text },
      2: { name: 'operator', read: text },
      3: { name: 'values', read: text, repeated: true },
    }),
  },
});

const kinds: { [kind: string]: Message } = {
  'v1 Namespace': { 1: metadata },
  'v1 ServiceAccount': { 1: metadata },
  'v1 ConfigMap': {
    1: metadata,
    2: textMap('data'),
    3: textMap('binaryData', base64),
    4: { name: 'immutable', read: 'flag' },
  },
  'v1 Secret': {
    1: metadata,
    2: textMap('data', base64),
    3: { name: 'type', read: text },
    4: textMap('stringData'),
    5: { name: 'immutable', read: 'flag' },
  },
  'policy/v1 PodDisruptionBudget': {
    1: metadata,
    2: {
      name: 'spec',
      read: nested({
        1: { name: 'minAvailable', read: intOrString },
        2: { name: 'selector', read: labelSelector },
        3: { name: 'maxUnavailable', read: intOrString },
      }),
    },
  },
};

const magic = Buffer.from('k8s\0');

export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, magic.length).equals(magic)) throw badRequest('the body is not a Kubernetes protobuf object');
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, bytes } of fieldsIn(body.subarray(magic.length))) {
    if (number === 1 && bytes) {
      const type = decodeMessage(bytes, { 1: { name: 'apiVersion', read: text }, 2: { name: 'kind', read: text } });
      apiVersion = String(type.apiVersion ?? '');
      kind = String(type.kind ?? '');
    } else if (number === 2 && bytes) raw = bytes;
  }
  const message = own(kinds, `${apiVersion} ${kind}`);
  if (!message) throw unsupportedMediaType(['application/json', 'application/yaml']);
  return { apiVersion, kind, ...decodeMessage(raw, message) };
}

function decodeMessage(bytes: Buffer, message: Message): JsonObject {
  const result: JsonObject = {};
  for (const { number, bytes: payload, value } of fieldsIn(bytes)) {
    const field = message[number];
    if (!field) continue;
    if (field.read === 'whole') result[field.name] = value;
    else if (field.read === 'flag') result[field.name] = value !== 0;
    else if (payload) {
      const read = field.read(payload);
      const { [field.name]: before } = result;
      if (field.repeated) result[field.name] = [...(Array.isArray(before) ? before : []), read];
      else if (field.map) {
        const { key = '', value: item = '' } = read as JsonObject;
        result[field.name] = { ...(before as JsonObject | undefined), [String(key)]: item };
      } else result[field.name] = read;
    }
  }
  return result;
}

/** The fields on the wire: a number each, with a payload or a whole number. */
function* fieldsIn(bytes: Buffer): Generator<{ number: number; bytes: Buffer | undefined; value: number }> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw badRequest('the protobuf body ends too early');
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw badRequest('the protobuf body has an unterminated number');
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, bytes: undefined, value: varint() };
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varint();
        if (at + length > bytes.length) throw badRequest('the protobuf body ends too early');
        yield { number, bytes: bytes.subarray(at, at + length), value: 0 };
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw badRequest('the protobuf body cannot be read');
    }
  }
}
