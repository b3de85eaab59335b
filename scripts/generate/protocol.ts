/**
 * Writes what code needs of `provider.proto` beside it: the descriptor that is loaded instead of the text, which takes a parser, and the types
 * of the messages. Run it after a change to the protocol; a test fails while the files are stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

export const protocolDirectory = join(import.meta.dirname, '../../shared/drivers/protocol');

/** File name to content. */
export function generatedProtocol(): Map<string, string> {
  const { root } = protobuf.parse(readFileSync(join(protocolDirectory, 'provider.proto'), 'utf8'));
  root.resolveAll();
  const namespace = root.lookup('provider.v1') as protobuf.Namespace;
  const service = namespace.lookupService('Provider');
  const used = reached(
    service.methodsArray.flatMap((method) => [method.resolvedRequestType!, method.resolvedResponseType!]),
  );
  const types = [...used].map((item) => (item instanceof protobuf.Type ? messageType(item) : enumType(item)));
  const head = '/** Generated from provider.proto by `npm run generate`. */\n\n';
  return new Map([
    ['descriptor.json', `${JSON.stringify(root.toJSON())}\n`],
    ['messages.ts', `${head}${types.join('\n')}\n${callTypes(service)}`],
  ]);
}

/** These types, and those of their fields. */
function reached(types: readonly protobuf.Type[], found = new Set<protobuf.Type | protobuf.Enum>()) {
  for (const type of types) {
    if (found.has(type)) continue;
    found.add(type);
    for (const { resolvedType } of type.fieldsArray) {
      if (resolvedType instanceof protobuf.Type) reached([resolvedType], found);
      else if (resolvedType !== null) found.add(resolvedType);
    }
  }
  return found;
}

function messageType({ name, fieldsArray }: protobuf.Type): string {
  if (fieldsArray.length === 0) return `export type ${name} = Record<string, never>;\n`;
  const lines = fieldsArray.map((field) => `  ${field.name}: ${fieldType(field)};\n`);
  return `export interface ${name} {\n${lines.join('')}}\n`;
}

const enumType = ({ name, values }: protobuf.Enum): string =>
  `export type ${name} = ${Object.keys(values)
    .map((key) => `'${key}'`)
    .join(' | ')};\n`;

/** A message that is absent is undefined; every other field has the zero value of its type. */
function fieldType(field: protobuf.Field): string {
  const { type, resolvedType, repeated } = field;
  const one = resolvedType?.name ?? scalars[type];
  if (one === undefined) throw new Error(`no TypeScript type for ${type}`);
  if (field.map) return `Record<string, ${one}>`;
  if (repeated) return `${one}[]`;
  return resolvedType instanceof protobuf.Type ? `${one} | undefined` : one;
}

const scalars: Record<string, string> = {
  string: 'string',
  bytes: 'Uint8Array',
  bool: 'boolean',
  int32: 'number',
  // Sizes in bytes: all below 2^53.
  int64: 'number',
};

function callTypes(service: protobuf.Service): string {
  const lines = service.methodsArray.map(
    ({ name, requestType, responseType }) => `  ${name}: { request: ${requestType}; response: ${responseType} };\n`,
  );
  return `/** What each call takes and answers. */\nexport interface ProviderCalls {\n${lines.join('')}}\n`;
}

if (import.meta.main) {
  const files = generatedProtocol();
  for (const [name, content] of files) writeFileSync(join(protocolDirectory, name), content);
  console.log(`${files.size} files in shared/drivers/protocol are up to date`);
}
