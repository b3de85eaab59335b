import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, claims, definitions, freshName } from './objects.ts';

function aDefinition(plural: string, kind: string) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.suite.poolwright.dev` },
    spec: {
      group: 'suite.poolwright.dev',
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['size'],
                  properties: {
                    size: { type: 'integer', minimum: 1, maximum: 9 },
                    port: { 'x-kubernetes-int-or-string': true },
                    color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
                    code: { type: 'string', pattern: '^[a-z]+$', maxLength: 4 },
                    tags: { type: 'object', additionalProperties: { type: 'string' } },
                    list: { type: 'array', maxItems: 2, items: { type: 'string' } },
                    anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  };
}

const plural = `widgets${process.pid}`;
const kind = `Widget${process.pid}`;
const widgets = `/apis/suite.poolwright.dev/v1/namespaces/default/${plural}`;
const aWidget = (name: string, spec: object) => ({
  apiVersion: 'suite.poolwright.dev/v1',
  kind,
  metadata: { name },
  spec,
});

export function customResourceCases(client: Client): void {
  /** A real server needs a moment between the definition and its first object. */
  async function withWidgets(): Promise<void> {
    await client().post(definitions, aDefinition(plural, kind));
    for (let i = 0; i < 50; i++) {
      const { body } = await client().get(`${definitions}/${plural}.suite.poolwright.dev`);
      const established = body.status?.conditions?.some(
        (one: { type: string; status: string }) => one.type === 'Established' && one.status === 'True',
      );
      if (established && (await client().get(widgets)).code === 200) return;
    }
    throw new Error('the definition was not served');
  }

  test('a definition makes its kind served and discoverable', async () => {
    await withWidgets();
    const { body } = await client().get('/apis/suite.poolwright.dev/v1');
    expect(body.resources.map((one: { name: string }) => one.name)).toContain(plural);
    const groups = (await client().get('/apis')).body.groups.map((group: { name: string }) => group.name);
    expect(groups).toContain('suite.poolwright.dev');
  });

  test('defaults are filled in and unknown fields dropped, with a warning', async () => {
    await withWidgets();
    const name = freshName('pruned');
    const { code, body, headers } = await client().post(
      widgets,
      aWidget(name, { size: 1, nope: 1, anything: { goes: [1] }, port: 'http' }),
    );
    expect(code).toBe(201);
    expect(body.spec).toEqual({ size: 1, color: 'red', anything: { goes: [1] }, port: 'http' });
    expect(headers.get('warning')).toContain('unknown field \\"spec.nope\\"');
  });

  test('strict field validation refuses unknown fields', async () => {
    await withWidgets();
    const { code, body } = await client().post(
      `${widgets}?fieldValidation=Strict`,
      aWidget(freshName('strict'), { size: 1, nope: 1 }),
    );
    expect([code, body.reason]).toEqual([400, 'BadRequest']);
    expect(body.message).toContain('strict decoding error: unknown field "spec.nope"');
  });

  test.each([
    ['a missing field', {}, 'spec.size', 'FieldValueRequired'],
    ['a wrong type', { size: 'big' }, 'spec.size', 'FieldValueTypeInvalid'],
    ['a number that is too large', { size: 10 }, 'spec.size', 'FieldValueInvalid'],
    ['a value outside an enum', { size: 1, color: 'green' }, 'spec.color', 'FieldValueNotSupported'],
    ['a text against its pattern', { size: 1, code: 'A' }, 'spec.code', 'FieldValueInvalid'],
    ['a text that is too long', { size: 1, code: 'abcde' }, 'spec.code', 'FieldValueTooLong'],
    ['a list that is too long', { size: 1, list: ['a', 'b', 'c'] }, 'spec.list', 'FieldValueTooMany'],
    ['a wrong type in a list', { size: 1, list: [1] }, 'spec.list[0]', 'FieldValueTypeInvalid'],
    ['a wrong type in a map', { size: 1, tags: { a: 1 } }, 'spec.tags.a', 'FieldValueTypeInvalid'],
    ['neither number nor text', { size: 1, port: true }, 'spec.port', 'FieldValueTypeInvalid'],
  ])('%s is Invalid and names the field', async (_, spec, field, reason) => {
    await withWidgets();
    const { code, body } = await client().post(widgets, aWidget(freshName('invalid'), spec));
    expect(code).toBe(422);
    expect(body.details.causes).toContainEqual(expect.objectContaining({ field, reason }));
  });

  test('the spec of a NodeClaim is immutable', async () => {
    const name = freshName('immutable');
    await client().post(claims, aClaim(name));
    const { code, body } = await client().merge(`${claims}/${name}`, { spec: { expireAfter: 'Never' } });
    expect([code, body.reason]).toEqual([422, 'Invalid']);
    expect(body.details.causes[0]).toMatchObject({
      field: 'spec',
      message: expect.stringContaining('Invalid value: spec is immutable'),
    });
    expect((await client().merge(`${claims}/${name}`, { metadata: { labels: { a: 'b' } } })).code).toBe(200);
  });

  test('an object of the wrong shape is told that its rules were not looked at', async () => {
    const { code, body } = await client().post(claims, aClaim(freshName('shape'), {}, { nodeClassRef: undefined }));
    expect(code).toBe(422);
    expect(body.details.causes).toMatchObject([
      { field: 'spec.nodeClassRef', reason: 'FieldValueRequired' },
      { field: '<nil>', message: expect.stringContaining('some validation rules were not checked') },
    ]);
  });

  test('a definition whose name does not fit is Invalid', async () => {
    const definition = aDefinition('gadgets', 'Gadget');
    const { code } = await client().post(definitions, { ...definition, metadata: { name: 'other.name' } });
    expect(code).toBe(422);
  });
}
