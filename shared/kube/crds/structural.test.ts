import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { extended, quantities } from './schema-parts.ts';
import { structuralSchema } from './structural.ts';

describe('structuralSchema', () => {
  it('leaves objects open, as the API server prunes what it does not know', () => {
    expect(structuralSchema(z.strictObject({ name: z.string() }))).toEqual({
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
    });
  });

  it('drops the bounds of JavaScript numbers and keeps those that were asked for', () => {
    expect(structuralSchema(z.int())).toEqual({ type: 'integer' });
    expect(structuralSchema(z.int().min(0).max(50))).toEqual({ type: 'integer', minimum: 0, maximum: 50 });
  });

  it('says in the words of Kubernetes that a bound does not count itself', () => {
    expect(structuralSchema(z.number().positive())).toEqual({ type: 'number', exclusiveMinimum: true, minimum: 0 });
    expect(structuralSchema(z.number().lt(9))).toEqual({ type: 'number', exclusiveMaximum: true, maximum: 9 });
  });

  it('does not require what has a default', () => {
    const schema = z.object({ after: z.string().default('720h') });

    expect(structuralSchema(schema)).toEqual({
      type: 'object',
      properties: { after: { type: 'string', default: '720h' } },
    });
  });

  it('writes quantities as integer or text', () => {
    const { additionalProperties } = structuralSchema(quantities('Resources.'));

    expect(additionalProperties).toMatchObject({
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    });
  });

  it('copies the extensions of Kubernetes', () => {
    const rules = [{ rule: 'self == oldSelf', message: 'no change' }];
    const schema = extended(z.array(z.string()), {
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': rules,
    });

    expect(structuralSchema(schema)).toEqual({
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-validations': rules,
    });
  });

  it.each([
    ['a union of plain types', z.object({ field: z.union([z.string(), z.boolean()]) }), 'field/type'],
    ['a union', z.object({ field: z.union([z.string(), z.object({})]) }), 'field/anyOf'],
    ['a constant', z.object({ kind: z.literal('Node') }), 'kind/const'],
  ])('refuses %s, which no structural schema can say, and names where it stands', (_, schema, where) => {
    expect(() => structuralSchema(schema)).toThrow(where);
  });
});
