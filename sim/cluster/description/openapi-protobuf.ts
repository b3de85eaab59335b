/**
 * The OpenAPI v2 document in protobuf, the only form in which clients take it. It says no more than which kinds take
 * which parameters in a PATCH: kubectl looks there before it validates a `kind: List`, which no v3 document describes.
 */
import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type Resource } from '../types.ts';

export const openApiProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

// Numbers of the fields, by message, as the published schema of the format gives them.
const documentField = { swagger: 1, info: 2, paths: 8 };
const infoField = { title: 1, version: 2 };
const pathsField = { path: 2 };
const namedField = { name: 1, value: 2 };
const pathItemField = { patch: 8 };
const operationField = { parameters: 8, extension: 13 };
const parametersItemField = { parameter: 1 };
const parameterField = { nonBody: 2 };
const nonBodyField = { query: 3 };
const queryField = { in: 2, name: 4, type: 6 };
const anyField = { yaml: 2 };

export function openApiProtobuf(registry: Registry): Buffer {
  return message(
    [documentField.swagger, text('2.0')],
    [
      documentField.info,
      message([infoField.title, text('Poolwright simulated cluster')], [infoField.version, text('v1.32.0')]),
    ],
    [documentField.paths, message(...registry.all().map((resource): Part => [pathsField.path, pathOf(resource)]))],
  );
}

function pathOf(resource: Resource): Buffer {
  const { group, version, kind, plural } = resource;
  const yaml = `group: ${JSON.stringify(group)}\nkind: ${kind}\nversion: ${version}\n`;
  const extension = message(
    [namedField.name, text('x-kubernetes-group-version-kind')],
    [namedField.value, message([anyField.yaml, text(yaml)])],
  );
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(
    (name): Part => [operationField.parameters, queryParameter(name)],
  );
  const operation = message(...parameters, [operationField.extension, extension]);
  return message(
    [namedField.name, text(`/${apiVersionOf(resource)}/${plural}/{name}`)],
    [namedField.value, message([pathItemField.patch, operation])],
  );
}

function queryParameter(name: string): Buffer {
  const query = message(
    [queryField.in, text('query')],
    [queryField.name, text(name)],
    [queryField.type, text('string')],
  );
  const parameter = message([parameterField.nonBody, message([nonBodyField.query, query])]);
  return message([parametersItemField.parameter, parameter]);
}

type Part = [field: number, payload: Buffer];

const text = (value: string): Buffer => Buffer.from(value, 'utf8');

/** Every field here has a payload with a length in front: wire type 2. */
function message(...parts: Part[]): Buffer {
  return Buffer.concat(parts.flatMap(([field, payload]) => [varint(field * 8 + 2), varint(payload.length), payload]));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
